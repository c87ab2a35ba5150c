# Checks tensors of a checkpoint: check-tensors.py FILE (NAME VALUES|=FILE|!FILE)... or names and a list of all tensors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct
import sys


def read(name):
    with open(name, "rb") as file:
        content = file.read()
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    return {key: content[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]] for key, entry in header.items()}


tensors = read(sys.argv[1])
for name, wanted in zip(sys.argv[2::2], sys.argv[3::2]):
    if name == "names":
        assert sorted(tensors) == sorted(wanted.split(",")), sorted(tensors)
    elif wanted[0] in "=!":
        assert (read(wanted[1:])[name] == tensors[name]) == (wanted[0] == "="), name
    else:
        values = [float(value) for value in wanted.split(",")]
        assert tensors[name] == struct.pack(f"<{len(values)}f", *values), struct.unpack(f"<{len(values)}f", tensors[name])
