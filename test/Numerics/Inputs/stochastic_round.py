# Statistics of train.stochastic_round, which draws the same numbers in every run: stochastic_round.py LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import pathlib
import struct
import sys

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
    model.run(program, [array("f32", [x] * COUNT if isinstance(x, float) else x)], [y])
    return list(y)


def single(bits):
    return struct.unpack("f", struct.pack("I", bits))[0]


# A sixteenth, a third, ... of the way between two neighbours; near 0, among subnormals, and of both signs.
for low, part in [(0x3F80, 0x1000), (0x3F80, 0x5555), (0xC123, 0x8000), (0x0001, 0xC000), (0x7E80, 0x0003), (0x9A7F, 0xFFF0)]:
    x, near, far = single(low << 16 | part), single(low << 16), single(low + 1 << 16)
    y = draw("first", x)
    p = part / 65536
    share = sum(v == far for v in y) / COUNT
    check(all(v in (near, far) for v in y), f"{x}: expected {near} or {far}")
    # Five standard deviations of a mean of independent draws.
    check(abs(share - p) <= 5 * math.sqrt(p * (1 - p) / COUNT), f"{x}: {share} rounded away from 0, expected {p}")
    mean = math.fsum(v / COUNT for v in y)
    check(abs(mean - x) <= 5 * abs(far - near) * math.sqrt(p * (1 - p) / COUNT) + 1e-15 * abs(x), f"{x}: mean {mean}")

# Representable numbers stay.
for x in (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf):
    check(struct.pack("f", x) * 4 == struct.pack("4f", *draw("first", x)[:4]), f"{x} changes")
check(all(math.isnan(v) for v in draw("first", math.nan)), "NaN is lost")

# Draws depend on count and key, and neither on threads nor on the neighbour.
x = single(0x3F808000)
first = [v > x for v in draw("first", x)]
check(first == [v > x for v in draw("first", x, threads=4)], "threads change the draws")
drawn = {"first": first}
for program in ("next_count", "other_key", "negative_key", "zero_key", "largest_key"):
    drawn[program] = [v > x for v in draw(program, x)]
    for before, other in list(drawn.items())[:-1]:
        agree = sum(a == b for a, b in zip(drawn[program], other)) / COUNT
        check(abs(agree - 0.5) <= 5 * 0.5 / math.sqrt(COUNT), f"{program}: {agree} of the draws agree with those of {before}")
agree = sum(a == b for a, b in zip(first, first[1:])) / COUNT
check(abs(agree - 0.5) <= 5 * 0.5 / math.sqrt(COUNT), f"{agree} of the draws agree with their neighbour")
print(f"{failed} of {checks} checks failed")
