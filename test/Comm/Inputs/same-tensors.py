# Compares all tensors of two checkpoints bit for bit: same-tensors.py A B. Exits with 1 if one differs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    return metadata, {name: data[8 + length :][slice(*tensor["data_offsets"])] for name, tensor in header.items()}


(one, a), (all_, b) = map(read, sys.argv[1:])
different = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
print("state hashes are equal" if one["state_hash"] == all_["state_hash"] else "state hashes differ")
print(f"{len(a)} tensors are equal" if not different else "tensors differ: " + ", ".join(different))
sys.exit(bool(different))
