# Random programs for precision policies, and the check of the explained costs.
# random-graphs.py model COUNT > MODEL.mlir | random-graphs.py check COUNT < REMARKS
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random
import re
import sys

UNARY = ["relu", "tanh", "sigmoid", "neg", "exp", "softmax", "abs", "square"]
BINARY = ["add", "mul", "sub", "maximum"]


def program(number):
    """Products, pointwise ops and norms over values of two sizes; some values have many readers."""
    numbers = random.Random(number)
    sizes = [(8, 8), (8, 32)]
    values = [("%x", sizes[0]), ("%y", sizes[1]), ("%m", (8, 8)), ("%w", (8, 32)), ("%u", (32, 8))]
    lines = []

    def pick(shape):
        return numbers.choice([name for name, at in values[-7:] + values if at == shape and name not in ("%w", "%u", "%m")] or ["%x"])

    def add(text, shape):
        values.append((f"%{len(lines)}", shape))
        lines.append(f"    %{len(lines)} = {text}")

    def kind(shape):
        return f"tensor<{shape[0]}x{shape[1]}xf32>"

    for _ in range(numbers.randint(3, 14)):
        shape = numbers.choice(sizes)
        choice = numbers.random()
        if choice < 0.35:
            inner = (8, 8) if shape == (8, 32) or numbers.random() < 0.5 else (8, 32)
            weight, at = {((8, 8), (8, 32)): ("%w", (8, 32)), ((8, 32), (8, 8)): ("%u", (32, 8)),
                          ((8, 8), (8, 8)): ("%m", (8, 8))}[inner, shape]
            add(f"train.matmul {pick(inner)}, {weight} : ({kind(inner)}, {kind(at)}) -> {kind(shape)}", shape)
        elif choice < 0.7:
            add(f"train.{numbers.choice(UNARY)} {pick(shape)} : {kind(shape)}", shape)
        else:
            add(f"train.{numbers.choice(BINARY)} {pick(shape)}, {pick(shape)} : {kind(shape)}, {kind(shape)}", shape)
    name, shape = values[-1]
    body = "\n".join(lines)
    return f"""  train.func @f{number}(%x: {kind(sizes[0])}, %y: {kind(sizes[1])}, %m: {kind((8, 8))}, %w: {kind((8, 32))}, %u: {kind((32, 8))}) -> {kind(shape)} {{
{body}
    train.return {name} : {kind(shape)}
  }}"""


def check(count, text):
    pattern = r"bytes moved by @f(\d+) under the same compute types: mincut (\d+), autocast (\d+), propagate (\d+), mincut with any error (\d+)"
    costs = [tuple(map(int, found)) for found in re.findall(pattern, text)]
    worse = [row for row in costs if row[4] > row[2] or row[4] > row[3]]
    better = sum(row[4] < min(row[2:4]) for row in costs)
    print(f"{len(costs)} programs, mincut worse in {len(worse)}, strictly better in {better}")
    for row in worse[:5]:
        print("  worse: f%d: mincut %d, autocast %d, propagate %d, mincut with any error %d" % row)
    assert len(costs) > count * 0.9 and better > count // 10


if sys.argv[1] == "model":
    print("train.model @graphs {")
    for i in range(int(sys.argv[2])):
        print(program(i))
    print("}")
else:
    check(int(sys.argv[2]), sys.stdin.read())
