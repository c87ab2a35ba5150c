# The running statistics that a step has left, as text.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""running-variance.py FILE.safetensors"""
import json
import struct
import sys

import numpy as np

with open(sys.argv[1], "rb") as file:
    data = file.read()
size, = struct.unpack("<Q", data[:8])
for name, tensor in sorted(json.loads(data[8:8 + size]).items()):
    if name in ("mean", "variance"):
        begin, end = tensor["data_offsets"]
        print(name, *(f"{x:.5f}" for x in np.frombuffer(data[8 + size:][begin:end], np.float32)))
