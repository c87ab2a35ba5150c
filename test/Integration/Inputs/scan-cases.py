# Programs that call programs: values that are carried, operands and results that move, forwards and backwards, nested.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import random

from trained import Model, array, build, expect, failures

DECAY, ROWS = 0.5, 6  # slices of 24 bytes; powers of two and small integers: all sums and squares are exact


def scan(state, xs):
    squares = []
    for x in xs:
        state = [DECAY * a + b for a, b in zip(state, x)]
        squares.append([a * a for a in state])
    return state, squares


def flat(rows):
    return [value for row in rows for value in row]


def run(model, program, first, xs):
    last, squares = array("f32", [0] * ROWS), array("f32", [-1] * ROWS * len(xs))
    model.run(program, [array("f32", first), array("f32", flat(xs))], [last, squares])
    return list(last), list(squares)


with open(os.path.join(os.path.dirname(__file__), "scan.mlir")) as file:
    text = file.read().replace("4xf32", f"{ROWS}xf32").replace("space [4]", f"space [{ROWS}]")
numbers = random.Random(1)
first, *xs = [[float(numbers.randrange(-2, 2)) for _ in range(ROWS)] for _ in range(11)]
for target in ("cpu", "reference", "sm_80"):
    marked = text.replace("module attributes {", f'module attributes {{kernel.target = "{target}", ')
    model = Model(*build(target, marked, *(["--gpu-images=ptx"] if target == "sm_80" else [])))
    last, squares = scan(first, xs)
    expect(f"{target}: forwards", run(model, "forward", first, xs), (last, flat(squares)))
    last, squares = scan(first, xs[4::-1])
    last, _ = scan(last, [first])
    expect(f"{target}: backwards", run(model, "backward", first, xs[:5]), (last, flat(reversed(squares))))
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
