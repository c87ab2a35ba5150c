# loops.py FILE FOLDER: the graph of Inputs/graphs/loops.txt, or of counted.txt, beside NumPy.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import os
import subprocess
import sys

import numpy as np

file, folder = sys.argv[1:3]
subprocess.run(["ampc", "compile", file, "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
sys.path.insert(0, folder)
x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
h, rows = x, []
for _ in range(3):
    h = np.tanh(h @ np.diag(np.float32([1, 2, 3, 4])))
    rows.append(h)
# Results have the batch first.
sums = np.float32([[10], [20]]) + np.cumsum(x[:, ::-1], 1)
want = [h, np.stack(rows, 1), sums[:, -1], -sums]
name = os.path.basename(file).split(".")[0]
if name == "counted":
    h, rows = np.float32([[1, 2, 3, 4]]), []
    for row in x:
        h = np.tanh(h @ np.diag(np.float32([1, 2, 3, 4])) + row)
        rows.append(h)
    want = [h, np.stack(rows)]
got = list(importlib.import_module(name).Model().predict(x).values())
wrong = sum(a.shape != b.shape or not np.allclose(a, b, atol=1e-5) for a, b in zip(got, want, strict=True))
print(f"{len(got)} values, {wrong} wrong")
