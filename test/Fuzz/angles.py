# Values that no policy rounds to 16 bits: angles and exponents that a model makes from inputs and constants (docs/precision.md, "argument").
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
SINES = {"train.sin", "train.cos", "train.tan"}
EXPONENTIALS = {"train.exp", "train.expm1", "train.sinh", "train.cosh"}
SUMS = {"train.add", "train.sub", "train.mul", "train.neg", "train.cast"}
PRODUCTS = {"train.linear", "train.matmul"}
MOVES = {"train.reshape", "train.transpose", "train.broadcast_to", "train.slice", "train.concat", "train.reverse"}


def isFree(op):
    """Whether the op asks for no type: no `compute`, and elements of f32, i32 and i64 only."""
    return op["compute"] is None and all(element in ("f32", "i32", "i64") for _, element in op.operand_types + op.result_types)


def unrounded(function):
    """Names of values on the way from inputs and constants to an angle. An exponent that is known to be at most 1, such as a negated
    square, may be rounded: only products of two values count."""
    made, ways = set(function.arguments), {}
    for op in function.ops:
        isProduct = op.name in SUMS | PRODUCTS | MOVES and len(set(op.operands)) == len(op.operands)
        if isFree(op) and (op.name == "train.constant" or isProduct) and all(name in made for name in op.operands):
            made.update(op.results)
            ways.update((name, op) for name in op.results)
    found, open = set(), [op.operands[0] for op in function.ops if op.name in SINES | EXPONENTIALS and isFree(op)]
    while open:
        name = open.pop()
        if name in made and name not in found:
            found.add(name)
            open += ways[name].operands if name in ways else []
    return found
