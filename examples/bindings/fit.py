# Trains, saves, loads and predicts, in Python.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

import regression

random = np.random.default_rng(1)


def draw(rows):
    """Points of y = 3 x0 - 2 x1 + 0.5, off by at most 0.05."""
    x = random.uniform(-1, 1, (rows, 2))
    y = x @ [[3], [-2]] + 0.5 + random.uniform(-0.05, 0.05, (rows, 1))
    return x, y


model = regression.Model()
for step in range(200):
    report = model.train_step(*draw(32))
print(f"step {report.step}  loss {report.loss:.4f}")

# A second state continues from the saved state.
model.save(sys.argv[1])
with regression.Model() as other:
    other.load(sys.argv[1])
    plane = other.predict([[0, 0], [1, 0], [0, 1]])[:, 0]  # three rows of the batch
    print(f"y = {plane[1] - plane[0]:.2f} x0 + {plane[2] - plane[0]:.2f} x1 + {plane[0]:.2f}")
    print(f"b = {other['b'][0]:.2f}")
