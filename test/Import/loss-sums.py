# Sums of losses, and weights of rows and elements, against NumPy: the loss, and the gradient by central differences.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loss-sums.py FOLDER"""
import json
import re
import struct
import subprocess
import sys

import numpy as np

from graph_files import node, tensor, value, write

random = np.random.default_rng(1)
x, weights = random.standard_normal((6, 8)).astype(np.float32), {"w": random.standard_normal((8, 4)).astype(np.float32) / 4,
                                                                "v": random.standard_normal((8, 3)).astype(np.float32) / 4}
# Roots of negative numbers are NaN, which the weight 0 hides.
target, other, classes = random.random((6, 4)).astype(np.float32), random.random((6, 3)).astype(np.float32), random.integers(0, 3, 6)
mask = (x @ weights["w"] > 0.05).astype(np.float32) * random.random((6, 4)).astype(np.float32)
rows = np.array([1, 0, 2, 0.5, 0, 1], np.float32)
write(f"{sys.argv[1]}/sums.onnx", [value("input", "x", [6, 8]), *(tensor(name, array) for name, array in weights.items()), node("MatMul", "x,w", "h"),
      node("Sqrt", "h", "root"), node("MatMul", "x,v", "b"), node("Mul", "h,h", "hh"), node("ReduceMean", "hh", "penalty", keepdims=0)], ["root", "h", "b", "penalty"])


def values(w, v):
    h, b = x @ w, x @ v
    with np.errstate(invalid="ignore"):
        root = np.sqrt(h)
    return root, h, b


def entropy(b):
    return np.log(np.exp(b).sum(-1)) - b[np.arange(6), classes]


def masked(w, v):
    root, _, _ = values(w, v)
    return (np.where(mask == 0, 0, mask * (root - target) ** 2)).sum()


CASES = {
    "mse(h,target)+0.5*l1(b,other)": lambda w, v: ((x @ w - target) ** 2).mean() + 0.5 * np.abs(x @ v - other).mean(),
    "0.25 * penalty + softmax_cross_entropy(b,classes,reduce=sum)": lambda w, v: 0.25 * ((x @ w) ** 2).mean() + entropy(x @ v).sum(),
    "mse(root,target,weight=mask)": lambda w, v: masked(w, v) / mask.sum(),
    "mse(root,target,weight=mask,reduce=sum) + 1e-1*mse(b,other)": lambda w, v: masked(w, v) + 0.1 * ((x @ v - other) ** 2).mean(),
    "softmax_cross_entropy(b,classes,weight=rows)": lambda w, v: (rows * entropy(x @ v)).sum() / rows.sum(),
}
DATA = {"x": x, "target": target, "other": other, "classes": classes, "mask": mask, "rows": rows}
for name, array in DATA.items():
    np.save(f"{sys.argv[1]}/{name}.npy", array)


def parameters(path):
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    return {name: np.frombuffer(data[8 + size:][slice(*header[name]["data_offsets"])], np.float32).reshape(weights[name].shape) for name in weights if name in header}


def difference(loss, name, at, eps=1e-6):
    moved = [{key: array.astype(float) for key, array in weights.items()} for _ in range(2)]
    moved[0][name][at] += eps
    moved[1][name][at] -= eps
    return (loss(**moved[0]) - loss(**moved[1])) / (2 * eps)


wrong = 0
for text, loss in CASES.items():
    used = [name for name in DATA if re.search(rf"\b{name}\b", text) or name == "x"]
    done = subprocess.run(["ampc", "train", f"{sys.argv[1]}/sums.onnx", "--loss", text, "--optimizer", "sgd(lr=1)", "--steps", "1", "--shuffle=false", "--out",
                           f"{sys.argv[1]}/out.safetensors", *(f"--data={name}={sys.argv[1]}/{name}.npy" for name in used)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"step 1/1  loss ([-0-9.e]+)", done.stdout)
    if not found:
        sys.exit(f"{text}\n{done.stdout}")
    want = loss(**{key: array.astype(float) for key, array in weights.items()})
    wrong += not abs(float(found[1]) - want) <= 1e-4 * abs(want)
    after = parameters(f"{sys.argv[1]}/out.safetensors")
    for name, array in weights.items():
        gradient = array - after[name] if name in after else np.zeros_like(array)
        numeric = np.array([difference(loss, name, at) for at in np.ndindex(array.shape)]).reshape(array.shape)
        if not np.all(np.abs(gradient - numeric) <= 1e-5 + 1e-3 * np.abs(numeric)):
            wrong += 1
            print(f"{text}: gradient of {name}: expected\n{numeric}\nbut got\n{gradient}")
print(f"{len(CASES)} losses, {wrong} wrong")
