# Whether packages of one model in several folders give the same bits: same-results.py MODULE FUNCTION ROUNDS FOLDER...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import sys

import numpy as np

module, function, rounds, *folders = sys.argv[1:]
random = np.random.default_rng(7)
x = random.normal(size=(4, int(rounds), 8)).astype("f4")
lengths = np.minimum([0, 1, 3, int(rounds)], int(rounds)).astype("i4")


def results(folder):
    spec = importlib.util.spec_from_file_location(module, f"{folder}/{module}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    model = loaded.Model()
    return [np.array(value) for value in getattr(model, function)(x, lengths).values()]


first = results(folders[0])
assert all(np.isfinite(value).all() and np.ptp(value) > 0 for value in first), "expected numbers that differ"
for folder in folders[1:]:
    for number, (a, b) in enumerate(zip(first, results(folder), strict=True)):
        assert a.tobytes() == b.tobytes(), f"{folder}: result {number} is {np.abs(a - b).max()} apart"
print(f"{len(first)} results of {len(folders)} packages, the same bits")
