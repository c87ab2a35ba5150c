# Twenty updates in 16 bits, as loops and written out before types are assigned, beside f32: loops-16-bit.py MODEL TYPE BOUND
# BOUND: largest difference of a parameter between both, relative to the parameter's largest element.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import csv
import json
import struct
import subprocess
import sys

import numpy as np

MODEL, TYPE, BOUND = sys.argv[1], sys.argv[2], float(sys.argv[3])


def read(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:start])
    return {name: np.frombuffer(data[start + at["data_offsets"][0]:start + at["data_offsets"][1]], np.float32)
            for name, at in head.items() if "." in name and at.get("dtype") == "F32" and at["shape"]}


def train(precision, loops):
    name = f"{precision}-{loops}"
    data = [word for key in ("x", "y", "h0") for word in ("--data", f"{key}={key}.npy")]
    subprocess.run(["ampc", "train", MODEL, f"--precision={precision}", f"--loops={loops}", *data, "--steps", "20", "--quiet",
                    f"--log={name}.csv", "--out", f"{name}.safetensors"], check=True)
    losses = [float(row["loss"]) for row in csv.DictReader(open(f"{name}.csv"))]
    assert len(losses) == 20, losses
    return losses, read(f"{name}.safetensors")


def apart(a, b):
    return {name: float(np.abs(a[name] - b[name]).max() / np.abs(b[name]).max()) for name in b}


r = np.random.default_rng(3)
for key, shape in (("x", (32, 6, 16)), ("y", (32, 6, 16)), ("h0", (32, 16))):
    np.save(f"{key}.npy", r.normal(size=shape).astype("f4"))
exact, wide = train("f32", "unroll")
out, rounds = train(TYPE, "unroll")
assert exact[-1] < 0.97 * exact[0], exact
for loops in ("keep", "merge"):
    losses, tensors = train(TYPE, loops)
    assert tensors.keys() == wide.keys() and len(wide) == 9, tensors.keys()
    for i, (loss, other, right) in enumerate(zip(losses, out, exact)):
        assert abs(loss - other) <= BOUND * abs(right), (i, loss, other)
    worst = apart(tensors, rounds)
    assert max(worst.values()) <= BOUND, worst
    # The error of rounding is not larger than that of the rounds written out, but for luck.
    error, known = apart(tensors, wide), apart(rounds, wide)
    assert all(error[name] <= 2 * known[name] + BOUND / 10 for name in error), (error, known)
    print(f"{loops}: at most {max(worst.values()):.1e} of {BOUND:.1e}, {max(error.values()):.1e} from f32 (written out {max(known.values()):.1e})",
          f"first loss {'the same' if losses[0] == out[0] else f'{abs(losses[0] - out[0]):.1e} apart'}")
print("3 models agree")
