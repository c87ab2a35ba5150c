# Weighted cross entropy of 16-bit operands against f64: narrow-class-weights.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

CLASSES, ROWS, SMOOTHING = 15, 16, 0.29862288164824957
BITS = {"bf16": 8, "f16": 11}


def rounded(v, kind):
    """To the significand of the type; the values are in its range of normal numbers."""
    mantissa, exponent = np.frexp(v)
    return np.ldexp(np.round(mantissa * 2.0**BITS[kind]), exponent - BITS[kind])


def print_model():
    print("train.model @weights {")
    for kind in BITS:
        print(f"""  train.func @{kind}(%x: f32[{ROWS}, {CLASSES}], %t: f32[{ROWS}, {CLASSES}], %w: f32[{CLASSES}]) {{
    %xn = train.cast %x to {kind}
    %tn = train.cast %t to {kind}
    %wn = train.cast %w to {kind}
    %l = train.weighted_cross_entropy %xn, %tn, %wn reduce none smoothing {SMOOTHING}
    %o = train.cast %l to f32
    train.return %o
  }}
  train.export @{kind} as "{kind}" """)
    print("}")


def run(folder):
    sys.path.insert(0, folder)
    import weights
    model, random = weights.Model(), np.random.default_rng(8)
    for kind in BITS:
        x, t = rounded(random.normal(size=(ROWS, CLASSES)), kind), np.zeros((ROWS, CLASSES))
        w = random.normal(size=CLASSES)
        w = rounded(w - w.mean(), kind)  # their sum is a rounding: all large parts cancel
        logs = x - np.log(np.exp(x).sum(1, keepdims=True))
        want = -(w * (SMOOTHING / CLASSES) * logs).sum(1)
        have = getattr(model, kind)(x.astype("f4"), t.astype("f4"), w.astype("f4"))
        have = np.asarray(list(have.values())[0] if isinstance(have, dict) else have, np.float64)
        # One rounding of the result, and sums in f32 of terms of this size.
        bound = np.abs(want) * 2.0**-BITS[kind] + np.abs(w * (SMOOTHING / CLASSES) * logs).sum(1) * 1e-6
        print(f"{kind}: {ROWS} rows, {(np.abs(have - want) > bound).sum()} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
