# Whether two checkpoints hold the same bits (their plan hashes may differ): equal-tensors.py A B
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import sys


def tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])
    return {name: data[8 + size + at["data_offsets"][0]:8 + size + at["data_offsets"][1]]
            for name, at in head.items() if name != "__metadata__"}


a, b = tensors(sys.argv[1]), tensors(sys.argv[2])
assert a.keys() == b.keys() and a, "expected the same tensors"
different = [name for name in a if a[name] != b[name]]
print(f"{len(a)} tensors, {len(different)} differ: {different}")
sys.exit(1 if different else 0)
