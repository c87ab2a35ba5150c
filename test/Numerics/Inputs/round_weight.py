# Statistics of train.round_weight, which draws the same numbers in every run: round_weight.py LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import pathlib
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Oracle"))
from model import Model, array

COUNT = 65536
failed = checks = 0


def check(good, what):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print("WRONG:", what)


def draw(program, x, threads=1):
    model, y = Model(sys.argv[1], "round", threads), array("f32", [0] * COUNT)
    model.run(program, [array("f32", [x] * COUNT)], [y])
    return list(y)


# Normal numbers, denormals, numbers below the least denormal, and the largest.
for x in (1 + 3 * 2.0**-13, -3000.7, 2.0**-14 * (1 + 5 * 2.0**-13), 1.37e-5, -6.3e-7, 5.96e-8 * 0.3, 2.0**-27, 65503.0, -65490.0):
    x = struct.unpack("f", struct.pack("f", x))[0]
    near = float(numpy.float16(x))
    other = float(numpy.nextafter(numpy.float16(x), numpy.float16(numpy.inf if near < x else -numpy.inf)))
    low, high = min(near, other), max(near, other)
    y, p = draw("half", x), (x - low) / (high - low)
    share = sum(v == high for v in y) / COUNT
    check(all(v in (low, high) for v in y), f"{x}: expected {low} or {high}")
    # Five standard deviations of a mean of independent draws.
    check(abs(share - p) <= 5 * math.sqrt(p * (1 - p) / COUNT), f"{x}: {share} rounded up, expected {p}")

# Representable values stay; between 65504 and 65520 there is no neighbour above.
for x, y in ((0.0, 0.0), (-0.0, -0.0), (0.5, 0.5), (2.0**-24, 2.0**-24), (math.inf, math.inf), (-math.inf, -math.inf), (65504.0, 65504.0),
             (65519.0, 65504.0), (65520.0, math.inf), (-7e4, -math.inf)):
    check(struct.pack("f", y) * 64 == struct.pack("64f", *draw("half", x)[:64]), f"{x}: expected {y}")
check(all(math.isnan(v) for v in draw("half", math.nan)), "NaN is lost")

# Draws depend on count and key, not on threads; bf16 shares the moments' draws.
x = 1 + 2.0**-11
first = [v > x for v in draw("half", x)]
check(first == [v > x for v in draw("half", x, threads=4)], "threads change the draws")
for program in ("half_next", "zero_key", "largest_key"):
    agree = sum(a == (v > x) for a, v in zip(first, draw(program, x))) / COUNT
    check(abs(agree - 0.5) <= 5 * 0.5 / math.sqrt(COUNT), f"{program}: {agree} of the draws agree")
check(draw("brain", math.pi) == draw("moment", math.pi), "draws in bf16")
print(f"{failed} of {checks} checks failed")
