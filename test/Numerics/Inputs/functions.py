# Functions of a single number and slopes against Python's math module, in units in the last place:
# functions.py model f32|f64 | run f32|f64 FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys

import numpy as np

INF, NAN = math.inf, math.nan
COUNT = 256
random = np.random.default_rng(15)


def uniform(low, high):
    return random.uniform(low, high, COUNT)


def wide(low, high):
    """Numbers of either sign, with magnitudes from 10^low to 10^high."""
    return 10**uniform(low, high) * np.where(uniform(0, 1) < 0.5, -1, 1)


def erfinv(x):
    """Newton's method on erf, from 0.5 on on erfc: 1 - |x| is exact."""
    size, y = abs(x), 0.0
    for _ in range(200):
        miss = math.erf(y) - size if size < 0.5 else (1 - size) - math.erfc(y)
        y -= max(-0.5, min(0.5, miss * math.sqrt(math.pi) / 2 * math.exp(min(y * y, 40))))
    return math.copysign(y, x)


def guarded(f):
    def run(x):
        try:
            return f(x)
        except (ValueError, ZeroDivisionError):
            return NAN
        except OverflowError:
            return INF
    return run


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softplus(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


def mish_slope(x):
    t = math.tanh(softplus(x))
    return t + x * sigmoid(x) * (1 - t * t)


def gelu_exponent(x):
    return 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def gelu_slope(x):
    z = gelu_exponent(x)
    return sigmoid(z) + x * sigmoid(z) * sigmoid(-z) * 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


def round_even(x):
    return float(round(x))


SCALE, ALPHA = 1.0507009873554804934, 1.6732632423543772848
# The op; f; f'; numbers; corners as number, value and slope.
CASES = {
    "tan": ("tan %x", math.tan, lambda x: 1 + math.tan(x)**2, uniform(-1.55, 1.55), [(0, 0, 1), (INF, NAN, NAN)]),
    "asin": ("asin %x", math.asin, lambda x: 1 / math.sqrt((1 - x) * (1 + x)), uniform(-1, 1),
             [(1, math.pi / 2, 0), (-1, -math.pi / 2, 0), (0.5, math.asin(0.5), None), (-0.0, -0.0, 1), (1.5, NAN, 0), (1e-30, 1e-30, 1)]),
    "acos": ("acos %x", math.acos, lambda x: -1 / math.sqrt((1 - x) * (1 + x)), uniform(-1, 1),
             [(1, 0, 0), (-1, math.pi, 0), (0, math.pi / 2, -1), (0.5, math.acos(0.5), None), (-0.5, math.acos(-0.5), None), (-2, NAN, 0)]),
    "atan": ("atan %x", math.atan, lambda x: 1 / (1 + x * x), wide(-6, 6),
             [(INF, math.pi / 2, 0), (-INF, -math.pi / 2, 0), (-0.0, -0.0, 1), (1, math.pi / 4, 0.5), (NAN, NAN, NAN)]),
    "expm1": ("expm1 %x", math.expm1, math.exp, wide(-8, 1.9), [(-0.0, -0.0, 1), (-INF, -1, 0), (INF, INF, INF), (1000, INF, INF), (0.5, math.expm1(0.5), None)]),
    "sinh": ("sinh %x", math.sinh, math.cosh, wide(-8, 1.94), [(-0.0, -0.0, 1), (INF, INF, INF), (-INF, -INF, INF), (1, math.sinh(1), None)]),
    "cosh": ("cosh %x", math.cosh, math.sinh, wide(-8, 1.94), [(0, 1, 0), (INF, INF, INF), (-INF, INF, -INF)]),
    "asinh": ("asinh %x", math.asinh, lambda x: 1 / math.hypot(1, x), wide(-8, 18), [(-0.0, -0.0, 1), (INF, INF, 0), (-INF, -INF, 0), (1e30, math.asinh(1e30), None)]),
    "acosh": ("acosh %x", math.acosh, lambda x: 1 / (math.sqrt(x - 1) * math.sqrt(x + 1)), 1 + abs(wide(-6, 18)),
              [(1, 0, 0), (0.5, NAN, 0), (-2, NAN, None), (INF, INF, 0), (1e30, math.acosh(1e30), 1e-30)]),
    "atanh": ("atanh %x", math.atanh, lambda x: 1 / ((1 - x) * (1 + x)), uniform(-1, 1),
              [(1, INF, 0), (-1, -INF, 0), (-0.0, -0.0, 1), (2, NAN, 0), (1e-30, 1e-30, 1), (INF, NAN, None)]),
    "erfinv": ("erfinv %x", erfinv, lambda x: math.sqrt(math.pi) / 2 * math.exp(erfinv(x)**2), np.concatenate([uniform(-1, 1)[:128], 1 - 10**uniform(-7, -1)[128:]]),
               [(1, INF, 0), (-1, -INF, 0), (0, 0, math.sqrt(math.pi) / 2), (1.5, NAN, 0), (1e-30, 1e-30 * math.sqrt(math.pi) / 2, None)]),
    "ceil": ("ceil %x", math.ceil, lambda x: 0, uniform(-4, 4), [(-0.5, 0, 0), (2, 2, 0), (1e20, 1e20, 0), (INF, INF, 0), (NAN, NAN, 0)]),
    "round": ("round %x", round_even, lambda x: 0, uniform(-4, 4),
              [(0.5, 0, 0), (1.5, 2, 0), (-2.5, -2, 0), (0.49999997, 0, 0), (8388609, 8388609, 0), (-INF, -INF, 0), (NAN, NAN, 0)]),
    "sign": ("sign %x", lambda x: math.copysign(1, x), lambda x: 0, uniform(-4, 4), [(0, 0, 0), (-INF, -1, 0), (NAN, NAN, 0), (1e-40, 1, 0)]),
    "elu": ("elu %x alpha 1.5", lambda x: x if x > 0 else 1.5 * math.expm1(x), lambda x: 1 if x > 0 else 1.5 * math.exp(x), wide(-6, 2),
            [(0, 0, 1.5), (-INF, -1.5, 0), (INF, INF, 1), (1000, 1000, 1), (NAN, NAN, None)]),
    "celu": ("celu %x alpha 0.5", lambda x: x if x > 0 else 0.5 * math.expm1(x / 0.5), lambda x: 1 if x > 0 else math.exp(x / 0.5), wide(-6, 1.5),
             [(0, 0, 1), (-INF, -0.5, 0), (INF, INF, 1)]),
    "selu": ("selu %x", lambda x: SCALE * x if x > 0 else SCALE * ALPHA * math.expm1(x), lambda x: SCALE if x > 0 else SCALE * ALPHA * math.exp(x), wide(-6, 2),
             [(0, 0, SCALE * ALPHA), (-INF, -SCALE * ALPHA, 0), (INF, INF, SCALE)]),
    "hardsigmoid": ("hardsigmoid %x", lambda x: min(max(x / 6 + 0.5, 0), 1), lambda x: 1 / 6 if -3 < x < 3 else 0, uniform(-5, 5),
                    [(-INF, 0, 0), (INF, 1, 0), (-4, 0, 0), (NAN, NAN, None)]),
    "hardswish": ("hardswish %x", lambda x: x * min(max(x + 3, 0), 6) / 6, lambda x: x / 3 + 0.5 if abs(x) < 3 else float(x > 0), uniform(-5, 5),
                  [(-4, 0, 0), (4, 4, 1), (3, 3, 1), (-3, 0, 0), (INF, INF, 1)]),
    "mish": ("mish %x", lambda x: x * math.tanh(softplus(x)), mish_slope, wide(-6, 1.8), [(0, 0, 0.6), (1000, 1000, 1), (INF, INF, None), (-80, -80 * math.exp(-80), None)]),
    "silu": ("silu %x", lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * sigmoid(-x)), wide(-6, 1.8),
             [(0, 0, 0.5), (100, 100, 1), (INF, INF, None), (NAN, NAN, NAN), (-80, -80 * math.exp(-80), None)]),
    "gelu_tanh": ("gelu_tanh %x", lambda x: x * sigmoid(gelu_exponent(x)), gelu_slope, wide(-6, 0.9),
                  [(0, 0, 0.5), (10, 10, 1), (INF, INF, None), (NAN, NAN, NAN), (-5, -5 * sigmoid(gelu_exponent(-5)), None)]),
    "softsign": ("softsign %x", lambda x: x / (1 + abs(x)), lambda x: 1 / (1 + abs(x))**2, wide(-6, 6), [(-0.0, -0.0, 1)]),
}
# Functions that are differences of numbers of about 1: by value, by slope.
DIFFERENCES = {"hardsigmoid", "hardswish"}, {"mish", "hardswish", "silu", "gelu_tanh"}


def numbers(name, element):
    _, f, slope, x, corners = CASES[name]
    kind = np.dtype("f4" if element == "f32" else "f8")
    x = np.concatenate([x, [corner[0] for corner in corners]]).astype(kind)
    if name in ("asin", "acos", "atanh", "erfinv"):
        x[:COUNT] = np.clip(x[:COUNT], -1 + np.finfo(kind).eps, 1 - np.finfo(kind).eps)
    values = [guarded(f)(float(v)) for v in x[:COUNT]] + [corner[1] for corner in corners]
    slopes = [guarded(slope)(float(v)) for v in x[:COUNT]] + [corner[2] for corner in corners]
    return x, values, slopes


def print_model(element):
    print("train.model @functions {")
    for name in CASES:
        size = len(numbers(name, element)[0])
        print(f"  train.func @{name}(%x: {element}[{size}]) {{\n    %y = train.{CASES[name][0]}\n    %s = train.reduce_sum %y over [0]")
        print(f'    %g = train.grad %s wrt %x\n    train.return %y, %g\n  }}\n  train.export @{name} as "{name}"')
    print("}")


def off(got, want, kind, floor):
    """Units in the last place between two numbers."""
    want = float(kind.type(want))
    if got == want or (math.isnan(got) and math.isnan(want)):
        return 0
    if not (math.isfinite(got) and math.isfinite(want)):
        return INF
    return abs(got - want) / max(float(np.spacing(kind.type(max(abs(want), floor)))), float(np.finfo(kind).tiny))


def run(element, folder):
    sys.path.insert(0, folder)
    import functions
    model, kind, wrong, count = functions.Model(), np.dtype("f4" if element == "f32" else "f8"), 0, 0
    for name in CASES:
        x, values, slopes = numbers(name, element)
        results = getattr(model, name)(x)
        worst = [0, 0]
        for which, wants in enumerate((values, slopes)):
            for place, (at, got, want) in enumerate(zip(x, results[f"out{which}"], wants, strict=True)):
                if want is None:
                    continue
                count += 1
                units = off(float(got), want, kind, 1 if name in DIFFERENCES[which] else 0)
                worst[which] = max(worst[which], units)
                # A slope is a formula of several ops, each of which is rounded; exp(y^2) has 2 y^2 times the error of y.
                most = 12 if which else 5
                if which and name == "erfinv" and want:
                    most += 10 * float(results["out0"][place])**2
                # An absolute error of an exponent is a relative error of the exponential.
                if not which and name == "gelu_tanh":
                    most += 2 * abs(gelu_exponent(float(at))) if math.isfinite(at) else 0
                if not units <= most:
                    wrong += 1
                    print(f"{name}{' slope' if which else ''} at {at!r}: expected {want!r}, but got {got!r}, {units:.1f} units")
        print(f"{name}: value off by {worst[0]:.2f}, slope by {worst[1]:.2f} units in the last place")
    print(f"{count} numbers, {wrong} wrong")


print_model(sys.argv[2]) if sys.argv[1] == "model" else run(*sys.argv[2:4])
