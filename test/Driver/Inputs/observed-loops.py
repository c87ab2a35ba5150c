# Data for observed-loops.mlir, and a comparison of values of all rounds with the values of the unrolled rounds.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import sys

import numpy as np


def write():
    shape = (4, 12, 3)
    ones = np.ones(shape, np.float32)
    np.save("ones.npy", ones)
    np.save("h.npy", np.ones((4, 3), np.float32))
    short = ones.copy()
    short[:, 5:] = 0
    np.save("short.npy", short)
    for name, value in [("negative", -1), ("large", 1e22)]:
        changed = ones.copy()
        changed[2, 7, 1] = value
        np.save(f"{name}.npy", changed)
    np.save("data.npy", np.random.default_rng(5).uniform(0.5, 2, shape).astype(np.float32))


def read(path):
    """Largest magnitude per op and kind, of all rounds and of all values of its adjoint: matmul#0@3@1:2 -> matmul#0."""
    largest = {}
    for value in json.load(open(path))["values"]:
        name = re.sub(r"@\d+|:\d+", "", value["name"]), value["kind"]
        largest[name] = max(largest.get(name, 0), value["largest"])
    return largest


def compare(loops, unrolled):
    whole, rounds = read(loops), read(unrolled)
    common = [name for name in whole if name in rounds]
    wrong = [f"{n}: {whole[n]} in the loop, {rounds[n]}" for n in common if whole[n] != rounds[n]]
    if wrong:
        sys.exit("\n".join(wrong))
    print("values agree:", *sorted({name for name, _ in common}))


if sys.argv[1] == "write":
    write()
else:
    compare(*sys.argv[2:])
