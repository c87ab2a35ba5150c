# Rows for a model of 8 inputs and 8 outputs: a batch of 8 rows per word, `ok`, `big` (a gradient beyond f16) or `zero`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import struct
import sys


def write(path, rows, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 8), }" % rows
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%df" % len(values), *values))


folder, kinds = sys.argv[1], sys.argv[2:]
random.seed(1)
x, y = [], []
for kind in kinds:
    scale = 0.0 if kind == "zero" else 1.0
    batch = [scale * random.gauss(0, 1) for _ in range(64)]
    x += batch
    y += [scale * random.gauss(0, 1) for _ in range(64)]
    if kind == "big":
        y[-5] = 1.0e6
write(folder + "/x.npy", 8 * len(kinds), x)
write(folder + "/y.npy", 8 * len(kinds), y)
