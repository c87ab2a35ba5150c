# Ops of ATen that reduce dimensions, and ops along a dimension, such as softmax and cumsum.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export import composed
from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, last_order
from ampc_export.aten.pointwise import binary
from ampc_export.sizes import count, hint


def reduced(c, ours, finish=None, name="self"):
    """Over the dimensions that `dim` names, in the layout that the operand has."""
    g, image = c.graph, c.is_image(c.arguments[name])
    x = g.cast(c.image(name) if image else c.value(name), "i32" if c.result_kind == "i32" else "f32")
    dims, keep = c.dims("dim", x.rank) if "dim" in c.arguments else list(range(x.rank)), bool(c.arguments.get("keepdim"))
    if not image:
        y = g.reduce(ours, x, dims, keep)
        return c.give(finish(y) if finish else y)
    order = last_order(x.rank)
    y = g.reduce(ours, x, [order.index(d) for d in dims], True)
    y = finish(y) if finish else y
    if keep:
        return c.give(y, True)
    left = [d for d in order if d not in dims]
    y = g.reshape(y, [x.shape[order.index(d)] for d in left])
    return c.give(g.transpose(y, [left.index(d) for d in sorted(left)]))


def _register():
    for name, ours in {"sum": "reduce_sum", "mean": "reduce_mean", "amax": "reduce_max", "amin": "reduce_min",
                       "logsumexp": "logsumexp", "prod": "reduce_prod"}.items():
        op(name)(lambda c, ours=ours: reduced(c, ours))


_register()


@op("any", "all")
def any_or_all(c):
    g, name = c.graph, "reduce_max" if c.node.target._schema.name.endswith("any") else "reduce_min"
    x = g.cast(g.cast(c.value("self"), "i1"), "f32")
    dims = c.dims("dim", x.rank) if "dim" in c.arguments else list(range(x.rank))
    return c.give(g.reduce(name, x, dims, bool(c.arguments.get("keepdim"))))


@op("max", "min")
def max_or_min(c):
    ours = "reduce_" + c.node.target._schema.name.removeprefix("aten::")
    if "dim" in c.arguments:
        g, x = c.graph, c.value("self", "f32")
        dim, keep = c["dim"] % x.rank, bool(c["keepdim"])
        where = _argmax(c, x, dim, keep, composed.argmax if ours == "reduce_max" else composed.argmin)
        return [Held(g.reduce(ours, x, [dim], keep)), Held(where)]
    if "other" in c.arguments:
        return binary(c, "maximum" if ours == "reduce_max" else "minimum")
    return reduced(c, ours)


def _argmax(c, x, dim, keep, function=composed.argmax):
    y = function(c.graph, x, dim)
    return c.graph.reshape(y, [1 if i == dim else size for i, size in enumerate(x.shape)]) if keep else y


@op("argmax", "argmin")
def argmax(c):
    x, function = c.value("self", "f32"), getattr(composed, c.node.target._schema.name.removeprefix("aten::"))
    if c["dim"] is None:
        return c.give(_argmax(c, c.graph.reshape(x, (count(x.shape),)), 0, False, function))
    return c.give(_argmax(c, x, c["dim"] % x.rank, bool(c["keepdim"]), function))


@op("var", "std", "var_mean", "std_mean")
def variance(c):
    g, x = c.graph, c.value("self", "f32")
    dims, keep = c.dims("dim", x.rank) if "dim" in c.arguments else list(range(x.rank)), bool(c.arguments.get("keepdim"))
    correction = c.arguments.get("correction", 1 if c.arguments.get("unbiased", True) else 0)
    correction = 1 if correction is None else correction
    number = count([x.shape[d] for d in dims])
    mean = g.reduce("reduce_mean", x, dims, True)
    y = g.reduce("reduce_mean", g.unary("square", g.binary("sub", x, mean)), dims, keep)
    if correction:
        n = hint(number)
        y = g.binary("mul", y, g.scalar(n / (n - correction)))
    name = c.node.target._schema.name.removeprefix("aten::")
    y = g.unary("sqrt", y) if name.startswith("std") else y
    if name.endswith("_mean"):
        return [Held(y), Held(mean if keep else g.reduce("reduce_mean", x, dims))]
    return c.give(y)


@op("norm", "linalg_vector_norm")
def norm(c):
    order = c.arguments.get("p", c.arguments.get("ord", 2))
    order = 2 if order is None else order
    g, x = c.graph, c.value(c.names[0], "f32")
    dims, keep = c.dims("dim", x.rank) if "dim" in c.arguments else list(range(x.rank)), bool(c.arguments.get("keepdim"))
    if order in (1, 2):
        y = g.reduce(f"reduce_l{int(order)}", x, dims, keep)
    elif order == float("inf"):
        y = g.reduce("reduce_max", g.unary("abs", x), dims, keep)
    else:
        raise Unsupported(f"a norm of order {order}")
    return c.give(y)


def _along(c, ours):
    x, g = c.value("self", "f32"), c.graph
    return c.give(g.along_last(x, int(c["dim"]), lambda y: g.unary(ours, y)))


@op("softmax", "_softmax", "special_softmax", "_safe_softmax")
def softmax(c):
    return _along(c, "softmax")


@op("log_softmax", "_log_softmax")
def log_softmax(c):
    return _along(c, "log_softmax")


@op("cumsum", "cumprod")
def cumsum(c):
    name = c.node.target._schema.name.removeprefix("aten::")
    return c.give(composed.scan(c.graph, name, c.value("self", c.result_kind), c["dim"]))
