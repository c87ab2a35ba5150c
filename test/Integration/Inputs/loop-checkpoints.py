# Trains a model for three updates with each clause in place of CLAUSE, and compares the parameters with those of the first clause of the same direction.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import subprocess
import sys

import numpy as np

model, precision, loops, bound, *clauses = sys.argv[1:]


def read_tensors(path):
    """Real tensors of a checkpoint by name; the state of random numbers is left out."""
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:start])
    types = {"F32": np.float32, "F64": np.float64}
    return {name: np.frombuffer(data[start + at["data_offsets"][0]:start + at["data_offsets"][1]], types[at["dtype"]])
            for name, at in head.items() if name != "__metadata__" and at["dtype"] in types}


def train(number, clause):
    path = f"{precision}-{loops}-{number}"
    with open(f"{path}.mlir", "w") as out:
        out.write(open(model).read().replace("CLAUSE", clause))
    subprocess.run(["ampc", "train", f"{path}.mlir", f"--precision={precision}", f"--loops={loops}", "--steps=3", "--quiet", "--shuffle=false",
                    "--data", "x=x.npy", "--data", "h0=h.npy", "--out", f"{path}.safetensors"], check=True)
    return read_tensors(f"{path}.safetensors")


first = {}
for number, clause in enumerate(clauses):
    got = train(number, clause)
    exact = first.setdefault(clause.startswith("reverse"), got)
    assert exact.keys() == got.keys() and len(exact) >= 3
    for name, value in exact.items():
        apart = float(np.abs(value - got[name]).max()) / max(float(np.abs(value).max()), 1e-300)
        if not apart <= float(bound):
            sys.exit(f"{clause}: {name} is {apart} apart")
print("all agree")
