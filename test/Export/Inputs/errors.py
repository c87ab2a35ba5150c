# Files of weights for errors.mlir.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import struct

for path, name, shape in (("w", "w", [2, 3]), ("less", "v", [2, 3]), ("shape", "w", [3, 2])):
    header = json.dumps({name: {"dtype": "F32", "shape": shape, "data_offsets": [0, 24]}}).encode()
    with open(f"{path}.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + bytes(24))
