# Sums, maxima and minima of integers beside Python's: integer-reductions.py model MODEL.mlir | run LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from model import Model, array

KINDS = ["sum", "max", "min"]
TYPES = ["i32", "i64"]
# Rows, columns, a middle dimension, separate dimensions, everything in chunks, and a row of a single element.
CASES = [([5, 37], [1]), ([70, 3], [0]), ([3, 19, 21], [1]), ([4, 7, 5], [0, 2]), ([3, 40001], [0, 1]), ([2, 1], [1]), ([2, 70000], [1])]


def text(values):
    return "x".join(map(str, values))


def print_model():
    print("train.model @integers {")
    for (i, (shape, dims)), element in itertools.product(enumerate(CASES), TYPES):
        kept = [size for d, size in enumerate(shape) if d not in dims]
        source, result = f"tensor<{text(shape + [element])}>", f"tensor<{text(kept + [element])}>"
        for kind in KINDS:
            print(f"""  train.func @{kind}_{element}_{i}(%x: {source}) -> {result} {{
    %0 = train.reduce_{kind} %x over {dims} : {source}
    train.return %0 : {result}
  }}
  train.export @{kind}_{element}_{i} as "{kind}_{element}_{i}\"""")
    print("}")


def reduced(shape, dims, values, kind):
    """By index arithmetic; sums wrap as two's complement does."""
    groups = {}
    for index, value in zip(itertools.product(*map(range, shape)), values):
        groups.setdefault(tuple(i for d, i in enumerate(index) if d not in dims), []).append(value)
    function = {"sum": sum, "max": max, "min": min}[kind]
    return [function(group) for _, group in sorted(groups.items())]


def run(library):
    random.seed(3)
    model, count, failed = Model(library, "integers", threads=2), 0, 0
    for (i, (shape, dims)), element in itertools.product(enumerate(CASES), TYPES):
        bits = int(element[1:])
        low, high = -2**(bits - 1), 2**(bits - 1) - 1
        values = [random.randint(low, high) for _ in range(math.prod(shape))]
        values[0], values[-1] = low, high  # alone in their rows in one case: only the right start leaves them
        for kind in KINDS:
            expected = [(value - low) % 2**bits + low for value in reduced(shape, dims, values, kind)]
            out = array(element, [0] * len(expected))
            model.run(f"{kind}_{element}_{i}", [array(element, values)], [out])
            wrong = [(at, a, b) for at, (a, b) in enumerate(zip(out, expected)) if a != b]
            count, failed = count + len(expected), failed + len(wrong)
            if wrong:
                print(f"{kind} of {element}, {shape} over {dims}: first difference {wrong[0]}")
    print(f"{count} integers, {failed} differ")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
