# Gradients of a file of ONNX against PyTorch's, in f64.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gradients.py FILE.onnx OUTPUT [--limit NAME=N]... [-- OPTION...]: one step of gradient descent on mse(OUTPUT,target) with random data, for which OPTION...
are those of ampc import. Prints the norm of the difference to autograd's gradient over the gradient's norm, and for small steps along ampc's gradient the
difference quotient of PyTorch's loss over the gradient's norm, which is 1 up to curvature, kinks and rounding. --limit: integers of an input below N."""
import argparse
import csv
import json
import re
import struct
import subprocess
import sys

import numpy as np
import onnx
import torch

from torch_graph import evaluate

TYPES = {"F32": np.float32, "F64": np.float64}


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    return {name: np.frombuffer(data[8 + size:][slice(*each["data_offsets"])], TYPES[each["dtype"]]).reshape(each["shape"]).astype(np.float64)
            for name, each in header.items() if name != "__metadata__" and each["dtype"] in TYPES}


def inputs_of(text, limits):
    """Arguments of the function @loss: name, array, and the dimension of the rows."""
    batch = re.search(r"\(batch = (\d+)\)", text)
    signature = re.search(r"train\.func @loss\((.*)\) \{", text)[1]
    random = np.random.default_rng(0)
    for name, element, sizes, given in re.findall(r'%([^\s:]+): (\w+)\[([^\]]*)\](?: \{train\.is = #train\.input<"([^"]*)">\})?', signature):
        sizes = [size.strip() for size in sizes.split(",")] if sizes.strip() else []
        rows = sizes.index("batch") if "batch" in sizes else 0
        sizes = [int(batch[1] if size == "batch" else size) for size in sizes]
        name = given or name
        is_real = element.startswith("f")
        yield name, random.standard_normal(sizes).astype(np.float32) if is_real else random.integers(0, limits.get(name, 2), sizes).astype(np.int64), rows


def step(file, output, options, limits):
    """Parameters before and after the step, its loss, its data, and tied initializers with their parameters."""
    said = subprocess.run(["ampc", "import", file, f"--loss=mse({output},target)", "--optimizer=sgd(lr=1)", "-o", "model.mlir", *options], check=True,
                          stderr=subprocess.PIPE, text=True).stderr
    with open("model.mlir") as opened:
        text = opened.read()
    data = {}
    for i, (name, array, rows) in enumerate(inputs_of(text, limits)):
        data[name] = array
        np.save(f"data{i}.npy", np.moveaxis(array, rows, 0) if array.ndim else array)
    subprocess.run(["ampc", "train", "model.mlir", "--precision=f64", "--steps=1", "--shuffle=false", "--out=after.safetensors", "--log=log.csv", "--quiet",
                    *(f"--data={name}=data{i}.npy" for i, name in enumerate(data))], check=True)
    with open("log.csv") as opened:
        loss = float(next(csv.DictReader(opened))["loss"])
    parameters = [name.strip('"') for name in re.findall(r'train\.param @("[^"]*"|\S+) :', text)]
    before, after = read("model.safetensors"), read("after.safetensors")
    return {name: before[name] for name in parameters}, after, loss, data, dict(re.findall("'(.*)' is '(.*)' transposed", said))


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("output")
    parser.add_argument("--limit", action="append", default=[])
    arguments = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    limits = {name: int(number) for name, number in (each.rsplit("=", 1) for each in arguments.limit)}
    before, after, loss, data, tied = step(arguments.file, arguments.output, options, limits)
    model, target = onnx.load(arguments.file), torch.tensor(data.pop("target").astype(np.float64))

    def loss_at(parameters, checks=False):
        result, = evaluate(model, data, parameters, [arguments.output], tied, checks)
        return ((result.reshape(target.shape) - target) ** 2).mean()

    leaves = {name: torch.tensor(value).requires_grad_() for name, value in before.items()}
    exact = loss_at(leaves, checks=True)
    wanted = torch.autograd.grad(exact, list(leaves.values()))
    found = {name: torch.tensor(before[name] - after[name]) for name in before}
    norm = sum((each ** 2).sum() for each in wanted).sqrt().item()
    apart = sum(((each - found[name]) ** 2).sum() for name, each in zip(leaves, wanted)).sqrt().item() / norm
    print(f"{len(found)} parameters, loss {loss:.9g} and {exact.item():.9g}, norm of the gradient {norm:.4g}, apart {apart:.1e}")
    with torch.no_grad():
        for size in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
            there, back = (loss_at({name: leaves[name] + sign * size * found[name] / norm for name in found}) for sign in (1, -1))
            print(f"step {size:g}: {((there - back) / (2 * size) / norm).item():.8f}")
    sys.exit(apart > 1e-6)


main()
