# A sequence cut into steps, computed per step and joined again, against NumPy: values, and the gradient of a sum of squares.
#   slices.py AMPC STEPS COLUMNS [option of ampc predict]...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np

ampc, steps, columns, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
functions = {"tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2), "square": (np.square, lambda x: 2 * x), "sin": (np.sin, np.cos)}
# Slices of three lengths, the last of which are in reversed order.
names = [list(functions)[i % 3] for i in range(steps)]
order = list(range(steps - 5)) + [steps - 1 - i for i in range(5)]
lines = ["%z = train.mul %x, %x"]
for i, name in enumerate(names):
    length = 1 + (i % 7 == 3)
    lines.append(f"%s{i} = train.slice %z from [0, {i}, 0] sizes [batch, {length}, {columns}] strides [1, 1, 1]")
    lines.append(f"%k{i} = train.{name} %s{i}")
lines.append(f"%j = train.concat {', '.join(f'%k{i}' for i in order)} along 1")
lines += ["%q = train.square %j", "%l = train.reduce_sum %q over [0, 1, 2]", "%g = train.grad %l wrt %x", "train.return %j, %g"]
with open("slices.mlir", "w") as file:
    file.write(f"train.model @slices(batch = 3) {{\n  train.func @joined(%x: f32[batch, {steps + 1}, {columns}]) {{\n    " + "\n    ".join(lines)
               + "\n  }\n  train.export @joined as \"predict\"\n}\n")

x = np.random.default_rng(1).uniform(-1, 1, (3, steps + 1, columns)).astype(np.float32)
np.save("x.npy", x)
z = x.astype(np.float64) ** 2
parts, slope = [], np.zeros_like(z)
for i, name in enumerate(names):
    length = 1 + (i % 7 == 3)
    value, derivative = functions[name]
    part = z[:, i : i + length]
    parts.append(value(part))
    slope[:, i : i + length] += 2 * value(part) * derivative(part)
wanted = [np.concatenate([parts[i] for i in order], axis=1), slope * 2 * x]
subprocess.run([ampc, "predict", "slices.mlir", "--data", "x=x.npy", "--out", "out0=joined.npy", "--out", "out1=slope.npy", *options], check=True, capture_output=True)
got = [np.load("joined.npy"), np.load("slope.npy")]
worst = max(float(np.abs(a - b).max()) for a, b in zip(got, wanted, strict=True))
print("ok" if worst < 2e-6 else f"off by {worst}")
