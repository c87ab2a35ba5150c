"""Seeds of calls: noise.py FOLDER, with the library and its binding."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import noise

x, zero = np.ones((4, 3), "f4"), np.zeros((4, 2), "f4")
one, two = noise.Model(seed=1), noise.Model(seed=2)
calls = {"sample": lambda m, **how: m.sample(**how), "noisy": lambda m, **how: m.noisy(x, zero, **how) - m.plain(x), "eval": lambda m, **how: m.eval(x, **how)}


def same(a, b): return np.array_equal(a, b)


# The difference of two results has their rounding, which follows from the weights.
def near(a, b): return np.allclose(a, b, rtol=0, atol=1e-5)


for name, call in calls.items():
    first, given = call(one), call(one, seed=7)
    print(name, "repeats without a seed:", same(first, call(one)), "and with one:", same(given, call(one, seed=7)))
    print(name, "others with another seed:", not same(given, call(one, seed=8)) and not same(given, first))
    print(name, "those of a state with that seed:", name == "eval" or near(call(one, seed=2), call(two)))
    one.train_step(x)
    print(name, "after a step others without a seed:", not same(first, call(one)), "the same with one:", name == "eval" or near(given, call(one, seed=7)))
print("far seeds:", not same(one.sample(seed=5), one.sample(seed=5 + 2**32)))
draws = np.concatenate([one.sample(seed=seed).ravel() for seed in range(1, 501)])
print("mean and deviation:", abs(draws.mean()) < 0.06, abs(draws.std() - 1) < 0.05)
try:
    one.sample(seed=-1)
except ValueError as error:
    print(error)
try:
    one.plain(x, seed=1)
except TypeError as error:
    print(error)
print(" ".join(f"{number:.6f}" for number in one.sample(seed=7)[0]))
