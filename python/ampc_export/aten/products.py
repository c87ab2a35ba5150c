# Ops of ATen that are products of matrices.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

from ampc_export.aten import op


def _untransposed(value):
    """What a transposed matrix was before, and whether it was one: products take either."""
    if value.op is not None and (match := re.fullmatch(r"train\.transpose \{0\} \[([\d, ]+)\]", value.op.form)):
        order = [int(i) for i in match[1].split(", ")]
        rank = len(order)
        if order == list(range(rank - 2)) + [rank - 1, rank - 2] and value.op.operands[0].state is not None:
            return value.op.operands[0], True
    return value, False


@op("linear")
def linear(c):
    """Weights keep PyTorch's order, [out, in]."""
    g = c.graph
    x, weight = c.value("input", "f32"), c.value("weight")
    rows = g.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    bias = c.value("bias") if c.arguments.get("bias") is not None else None
    return c.give(g.reshape(g.linear(rows, weight, bias, transpose_weight=True), c.result_shape))


@op("matmul", "bmm", "mm")
def matmul(c):
    g = c.graph
    x, y = c.value(c.names[0], "f32"), c.value(c.names[1], "f32")
    left = g.reshape(x, (1, *x.shape)) if x.rank == 1 else x
    right, turned = (g.reshape(y, (*y.shape, 1)), False) if y.rank == 1 else _untransposed(y)
    return c.give(g.reshape(g.matmul(left, right, transpose_rhs=turned), c.result_shape))


@op("addmm", "baddbmm", "addbmm")
def addmm(c):
    g = c.graph
    added, x, y = (c.value(name, "f32") for name in c.names[:3])
    right, turned = _untransposed(y)
    if c["alpha"] == c["beta"] == 1 and x.rank == 2 and added.rank == 1 and added.shape[0] == y.shape[1]:
        return c.give(g.linear(x, right, added, transpose_weight=turned))
    product = g.matmul(x, right, transpose_rhs=turned)
    if c["alpha"] != 1:
        product = g.binary("mul", product, g.scalar(c["alpha"]))
    if c["beta"] == 0:
        return c.give(product)
    if c["beta"] != 1:
        added = g.binary("mul", added, g.scalar(c["beta"]))
    return c.give(g.binary("add", product, added))


@op("mv", "dot", "vdot", "inner")
def dot(c):
    g = c.graph
    x, y = c.value(c.names[0], "f32"), c.value(c.names[1], "f32")
    return c.give(g.reduce("reduce_sum", g.binary("mul", x, y), [x.rank - 1]))


@op("outer")
def outer(c):
    g = c.graph
    x, y = c.value("self", "f32"), c.value("vec2", "f32")
    return c.give(g.binary("mul", g.reshape(x, (*x.shape, 1)), g.reshape(y, (1, *y.shape))))


@op("bilinear")
def bilinear(c):
    """y[b, o] = sum over i, j of x1[b, i] w[o, i, j] x2[b, j]"""
    g = c.graph
    x1, x2, w = c.value("input1"), c.value("input2"), c.value("weight")
    out, m, n = w.shape
    rows = g.flat_rows(x1)
    middle = g.matmul(rows, g.reshape(g.transpose(w, [1, 0, 2]), (m, out * n)))
    middle = g.reshape(middle, (rows.shape[0], out, n))
    flat = g.flat_rows(x2)
    y = g.reduce("reduce_sum", g.binary("mul", middle, g.reshape(flat, (flat.shape[0], 1, n))), [2])
    if c.arguments.get("bias") is not None:
        y = g.binary("add", y, c.value("bias"))
    return c.give(g.reshape(y, c.result_shape))
