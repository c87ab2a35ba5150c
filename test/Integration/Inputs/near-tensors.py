# Whether two checkpoints, or two .npy files, hold the same f32 up to rounding: near-tensors.py A B. Of checkpoints also other types: A B F64 BOUND
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import sys

import numpy as np

TYPE, BOUND = sys.argv[3:] if len(sys.argv) > 3 else ("F32", 2e-5)


def read(path):
    if path.endswith(".npy"):
        return {"": np.load(path)}
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:start])
    return {name: np.frombuffer(data[start + at["data_offsets"][0]:start + at["data_offsets"][1]], {"F32": np.float32, "F64": np.float64}[TYPE]).reshape(at["shape"])
            for name, at in head.items() if name != "__metadata__" and at["dtype"] == TYPE}


a, b = read(sys.argv[1]), read(sys.argv[2])
assert a.keys() == b.keys() and a, "expected the same tensors"
worst = 0.0
for name in a:
    assert a[name].shape == b[name].shape, f"{name}: expected shape {a[name].shape}, but got {b[name].shape}"
    apart = float(np.abs(a[name] - b[name]).max())
    assert apart <= float(BOUND), f"{name}: {apart} apart"
    worst = max(worst, apart)
print(f"{len(a)} tensors, at most {worst:.1e} apart")
