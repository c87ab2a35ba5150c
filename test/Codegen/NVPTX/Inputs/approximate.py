# Approximated functions of a GPU on all numbers of a 16-bit type, against f64.
# approximate.py model TYPE; approximate.py run TYPE FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np


def all_numbers(name):
    """The 65536 numbers of the type, in f32."""
    bits = np.arange(65536, dtype=np.uint32)
    return (bits << 16).view(np.float32) if name == "bf16" else bits.astype(np.uint16).view(np.float16).astype(np.float32)


def rounded(exact, name):
    """Nearest numbers of the type to numbers of f64, ties to even, and their distances to the next numbers."""
    if name == "f16":
        near = exact.astype(np.float16)
        return near.astype(np.float64), np.spacing(np.abs(near)).astype(np.float64)
    places = np.clip(np.where(np.isfinite(exact) & (exact != 0), np.frexp(exact)[1] - 8, 0), -133, 120)
    near = np.ldexp(np.rint(np.ldexp(exact, -places)), places)
    return np.where(np.abs(near) >= 2.0**128, np.copysign(np.inf, near), near), np.ldexp(1.0, places)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Name in the text, formula in f64, exponent of an exponential inside: its absolute rounding error is a relative one of the result.
CASES = [
    ("exp", np.exp, np.abs),
    ("sigmoid", sigmoid, np.abs),
    ("silu", lambda x: x * sigmoid(x), np.abs),
    ("gelu_tanh", lambda x: x * sigmoid(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)), lambda x: 2 * np.abs(x + 0.044715 * x**3)),
    ("rsqrt", lambda x: 1 / np.sqrt(x), np.zeros_like),
    ("reciprocal", lambda x: 1 / x, np.zeros_like),
]


def print_model(name):
    # A function per op: the results of a kernel are numbers of 16 bits.
    print("train.model @functions {")
    for op, _, _ in CASES:
        print(f"  train.func @{op}(%x: {name}[65536]) -> {name}[65536] {{\n    %0 = train.{op} %x\n    train.return %0\n  }}")
        print(f'  train.export @{op} as "{op}"')
    print("}")


def run(name, folder):
    sys.path.insert(0, folder)
    import functions

    model, wrong = functions.Model(), 0
    x = all_numbers(name)
    for op, formula, exponent in CASES:
        with np.errstate(all="ignore"):
            got = np.asarray(getattr(model, op)(x)).astype(np.float64)
            wide = x.astype(np.float64)
            exact = formula(wide)
            want, unit = rounded(exact, name)
            # Half a unit of the type, and the error of f32 before rounding: 2^-21, and 2^-23 per unit of an exponent.
            near = np.abs(got - exact)
            # Exponentials and sigmoids below 2^-126 are 0; SiLU and GELU multiply them by x.
            flushed = 2.0**-126 * np.maximum(np.abs(wide), 1) * (op not in ("rsqrt", "reciprocal"))
            bound = unit / 2 + np.abs(exact) * (2.0**-21 + 2.0**-23 * exponent(wide)) + flushed
            right = (near <= bound) | (got == want) | (np.isnan(got) & np.isnan(want))
        ordinary = np.isfinite(want) & (want != 0)
        differ = np.count_nonzero((got != want) & ordinary) / np.count_nonzero(ordinary)
        wrong += np.count_nonzero(~right)
        for i in np.flatnonzero(~right)[:5]:
            print(f"{op} at {x[i]!r}: expected {want[i]!r}, but got {got[i]!r}")
        print(f"{op}: {100 * differ:.3f} % of the results are not the nearest number")
    print(f"{65536 * len(CASES)} numbers, {wrong} wrong")


print_model(sys.argv[2]) if sys.argv[1] == "model" else run(*sys.argv[2:4])
