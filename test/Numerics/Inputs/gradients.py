# Compares gradients inside of functions with central differences: gradients.py, beside kinds.py of gradients.mlir in f64.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

import kinds

shapes = {"smooth": (3, 5), "normal": (3, 6), "image": (3, 4, 4, 1), "heads": (3, 4, 6), "classes": (3, 6)}
STEP = 1e-5
random = np.random.default_rng(1)
model = kinds.Model(seed=1)


def differences(function, x):
    """The derivative of a number with respect to every element of x."""
    result = np.empty_like(x)
    for index in np.ndindex(*x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][index] += STEP
        moved[1][index] -= STEP
        result[index] = (function(moved[0]) - function(moved[1])) / (2 * STEP)
    return result


failed = False
for name, shape in shapes.items():
    function = getattr(model, name)

    def run(at, v):
        results = function(at, v)
        return [results[f"out{i}"] for i in range(3)]

    x, v = random.normal(size=(2, *shape))
    value, slope, curve = run(x, v)
    expected = differences(lambda at: float(run(at, v)[0]), x)
    expected_curve = differences(lambda at: float((run(at, v)[1] * v).sum()), x)
    worst = [np.abs(a - b).max() / np.abs(b).max() for a, b in ((slope, expected), (curve, expected_curve))]
    right = all(error <= 1e-6 for error in worst) and slope.dtype == np.float64
    failed |= not right
    print(f"{name}: first derivative off by {worst[0]:.1e}, second by {worst[1]:.1e}: {'right' if right else 'WRONG'}")
sys.exit(failed)
