# First values that depend on fans, by the op that multiplies data by a parameter (docs/language.md, "First values").
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import re

import numpy as np

from graph import parameters

NAMES = ("kaiming_uniform", "kaiming_normal", "xavier_uniform", "xavier_normal")


def matmul(op, place, shape):
    rows, columns = shape[-2:]
    isTurned = op["transpose_lhs"] if place == 0 else op["transpose_rhs"]
    # [M, K] times [K, N]: the sum is over K.
    return (columns, rows) if (place == 0) != bool(isTurned) else (rows, columns)


def einsum(op, place, shape):
    """(fan_in, fan_out) of operand `place`: the extents of summed letters, and of letters of the result. Letters that other operands share
    count for neither."""
    operands, arrow, result = op["equation"].partition("->")
    operands = operands.replace(" ", "").split(",")
    if not arrow or "." in op["equation"]:
        return None
    others = "".join(operands[:place] + operands[place + 1:])
    sizes = dict(zip(operands[place], shape))
    ins = [n for letter, n in sizes.items() if letter not in result]
    outs = [n for letter, n in sizes.items() if letter in result and letter not in others]
    return (math.prod(ins), math.prod(outs)) if ins else None


def filter(op, place, shape):
    taps = math.prod(shape[1:-1])
    return (taps * shape[-1], taps * shape[0]) if place == 1 else None


FANS = {
    "train.matmul": matmul, "train.einsum": einsum, "train.conv1d": filter, "train.conv2d": filter, "train.conv3d": filter,
    "train.conv_transpose": filter, "train.linear": lambda op, place, shape: shape if place == 1 else None,
    "train.gather": lambda op, place, shape: (math.prod(shape[1:]), shape[0]) if place == 0 and len(shape) == 2 else None,
    "train.embedding": lambda op, place, shape: (math.prod(shape[1:]), shape[0]) if place == 0 and len(shape) == 2 else None,
}


def fans_of(model, param):
    """(fan_in, fan_out) if every op that reads the parameter is in FANS and all fans agree; else None."""
    shape, found = model.params[param][0], set()

    def look(body, reads):
        for op in body:
            if op.body:
                look(op.body, reads)
            if op.name == "train.read" and op["state"] == f"@{param}":
                reads.update(op.results)
            for place, name in enumerate(op.operands):
                if name in reads:
                    fans = FANS[op.name](op, place, shape) if op.name in FANS else None
                    found.add(fans and tuple(fans))
    for function in model.functions.values():
        look(function.ops, set())
    return found.pop() if len(found) == 1 else None


def check(oracle):
    problems = []
    for param, init in oracle.model.inits.items():
        name, p = parameters(init) if re.fullmatch(r"#\w+\.\w+(<.*>)?", init) else ("", {})
        if name not in NAMES:
            continue
        known = fans_of(oracle.model, param)
        ins, outs = p.get("fan_in", known and known[0]), p.get("fan_out", known and known[1])
        values = oracle.own.tensors[f"state0/{param}"].astype(np.float64)
        if not ins or (name.startswith("xavier") and not outs) or values.size < 12:
            continue
        variance = 2 / ins if name.startswith("kaiming") else 2 / (ins + outs)
        oracle.checked += 1
        if name.endswith("uniform"):
            # The largest of n numbers is within 30 / n of the bound, except with probability exp(-30).
            bound, largest = math.sqrt(3 * variance), np.abs(values).max()
            if not bound * (1 - 30 / values.size) <= largest <= bound * (1 + 2.0**-7):
                problems.append(f"first values of {param}: expected a largest one near {bound:.6g}, but got {largest:.6g} of {values.size}")
        else:
            # The mean of n squares has a relative deviation of sqrt(2 / n): eight deviations, and the tail of few numbers.
            ratio, slack = (values**2).mean() / variance, 8 * math.sqrt(2 / values.size) + 40 / values.size
            if not max(0.0, 1 - slack) <= ratio <= 1 + slack:
                problems.append(f"first values of {param}: expected a variance near {variance:.6g}, but got {ratio * variance:.6g} of {values.size}")
    return problems
