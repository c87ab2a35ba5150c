# Eight lists of items and a click for each of 256 rows, in the given folder.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import struct
import sys


def write(path, kind, shape, values):
    head = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape!r}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(values)}{kind}", *values))


random.seed(3)
items = [random.choice([0, random.randrange(100), random.randrange(100000)]) for _ in range(256 * 8)]
write(sys.argv[1] + "/item.npy", "i", (256, 8), items)
write(sys.argv[1] + "/clicked.npy", "f", (256, 1), [float(sum(items[8 * r:8 * r + 8]) % 2) for r in range(256)])
