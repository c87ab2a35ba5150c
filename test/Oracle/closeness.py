# Distances of numbers from expected numbers. Unlike max() and any() of comparisons, these functions fail on NaN.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math


def share(got, want, absolute=0.0, relative=0.0):
    """Largest share of the tolerance absolute + relative * |want| that any pair uses; infinity if a number is NaN on either
    side or infinite on a single side."""
    worst = 0.0
    for x, y in zip(got, want, strict=True):
        if x == y:
            continue
        used, allowed = abs(x - y), absolute + relative * abs(y)
        used = used / allowed if allowed else math.inf
        if not used <= worst:
            worst = math.inf if math.isnan(used) else used
    return worst


def distance(got, want):
    """Largest absolute difference of a pair; infinity as above."""
    return share(got, want, absolute=1.0)


if __name__ == "__main__":
    nan, inf = math.nan, math.inf
    for bad in (nan, inf, -inf):
        for place in range(3):
            planted = [1.0, 2.0, 3.0]
            planted[place] = bad
            assert share(planted, [1.0, 2.5, 3.0], 1.0, 1.0) == inf, (bad, place)
            assert share([1.0, 2.5, 3.0], planted, 1.0) == inf, (bad, place)
            assert distance(planted, [1.0, 2.5, 3.0]) == inf
    assert share([nan], [nan], 1.0) == inf and share([inf], [inf], 1.0) == 0.0
    assert share([1.0, 2.0], [1.0, 2.5], 0.25, 0.1) == 1.0 and distance([1.0, 5.0], [2.0, 1.0]) == 4.0
    assert share([0.0], [0.0]) == 0.0 and share([1e-300], [0.0]) == inf
    print("NaN and infinities count")
