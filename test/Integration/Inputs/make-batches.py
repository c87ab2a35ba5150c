# Rows of random pictures or characters as .npy files: make-batches.py pictures|characters FOLDER ROWS LENGTH
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from optimizers import write_npy

kind, folder, rows, length = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
numbers = random.Random(7)
os.makedirs(folder, exist_ok=True)
if kind == "pictures":
    write_npy(f"{folder}/image.npy", "f", (rows, length, length, 1), [numbers.gauss(0, 1) for _ in range(rows * length * length)])
    write_npy(f"{folder}/label.npy", "i", (rows,), [numbers.randrange(4) for _ in range(rows)])
else:
    for name in ("token", "next"):
        write_npy(f"{folder}/{name}.npy", "i", (rows, length), [numbers.randrange(96) for _ in range(rows * length)])
