# Checks that a checkpoint is at most FACTOR times as far from exact numbers as another checkpoint: rounding.py EXACT OTHER FACTOR
# CHECKPOINT
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import sys

import numpy as np


def read(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:start])
    types = {"F32": np.float32, "F64": np.float64}
    return {name: np.frombuffer(data[start + at["data_offsets"][0]:start + at["data_offsets"][1]], types[at["dtype"]]).astype(np.float64)
            for name, at in head.items() if name != "__metadata__" and at["dtype"] in types}


exact, other, checked = (read(sys.argv[i]) for i in (1, 2, 4))
for name in exact:
    bound = float(sys.argv[3]) * np.abs(other[name] - exact[name]).max()
    apart = np.abs(checked[name] - exact[name]).max()
    print(f"{name}: {apart:.1e} of {bound:.1e}")
    assert 0 < apart <= bound, f"{name}: {apart} apart, expected at most {bound}"
