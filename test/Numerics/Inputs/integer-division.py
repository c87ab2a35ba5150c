# Quotients of integers beside Python's: integer-division.py model MODEL.mlir | run LIBRARY.so
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from model import Model, array

TYPES = ["i32", "i64"]
# Elements: less than a vector of any tier, a whole vector, and a vector with a remainder. Example: 37 on 16 lanes -> 2 vectors and 5 elements.
SIZES = [1, 3, 6, 8, 16, 37]
CONSTANTS = [0, 1, -1, 7, -8]


def print_model():
    print("train.model @quotients {")
    for element, n in itertools.product(TYPES, SIZES):
        kind, scalar = f"tensor<{n}x{element}>", f"tensor<{element}>"
        print(f"""  train.func @div_{element}_{n}(%a: {kind}, %b: {kind}) -> {kind} {{
    %0 = train.div %a, %b : {kind}, {kind}
    train.return %0 : {kind}
  }}
  train.export @div_{element}_{n} as "div_{element}_{n}\"""")
        for i, value in enumerate(CONSTANTS):
            print(f"""  train.func @by_{element}_{n}_{i}(%a: {kind}) -> {kind} {{
    %b = train.constant dense<{value}> : {scalar}
    %0 = train.div %a, %b : {kind}, {scalar}
    train.return %0 : {kind}
  }}
  train.export @by_{element}_{n}_{i} as "by_{element}_{n}_{i}\"""")
    print("}")


def quotient(a, b, low):
    """Rounds towards zero; x / 0 is 0, and a quotient beyond the type wraps around."""
    if b == 0:
        return 0
    size = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return (size - low) % (-2 * low) + low


def run(library):
    random.seed(5)
    model, count, failed = Model(library, "quotients"), 0, 0

    def compare(program, inputs, element, expected):
        nonlocal count, failed
        out = array(element, [0] * len(expected))
        model.run(program, [array(element, values) for values in inputs], [out])
        wrong = [(i, got, want) for i, (got, want) in enumerate(zip(out, expected)) if got != want]
        count, failed = count + len(expected), failed + len(wrong)
        if wrong:
            print(f"{program}: first difference (place, quotient, expected) {wrong[0]}")

    for element, n in itertools.product(TYPES, SIZES):
        low = -2**(int(element[1:]) - 1)
        for first in ([(low, -1)], [(5, 0)], [(low, 0)], [(-7, 2)], [(0, 0)]):
            pairs = first + [(random.randint(low, -low - 1) >> random.randrange(24), random.choice([1, -1, 2, -3, 1000, low]))
                             for _ in range(n - 1)]
            pairs = pairs[::-1] if random.random() < 0.5 else pairs
            compare(f"div_{element}_{n}", list(zip(*pairs)), element, [quotient(a, b, low) for a, b in pairs])
            for i, b in enumerate(CONSTANTS):
                compare(f"by_{element}_{n}_{i}", [[a for a, _ in pairs]], element, [quotient(a, b, low) for a, _ in pairs])
    print(f"{count} quotients, {failed} differ")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
