# Ops of ATen on the order of elements: sorted values, or positions in sorted order.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported
from ampc_export.sizes import count, hint, listed


def _number(c, name="self"):
    """Truth values are in order as integers are."""
    x = c.value(name)
    return c.graph.cast(x, "i32") if x.kind == "i1" else x


def _line(g, x):
    """A number is a line of one."""
    return x if x.rank else g.reshape(x, (1,))


def _sorted(c, dim, descending):
    """Values in the kind of the operand, and their places."""
    g, given = c.graph, _number(c)
    x = _line(g, given)
    form = f"train.sort {{0}} along {dim % x.rank}{' descending' * bool(descending)}"
    values, places = g.emit_several(form, [x], [(x.shape, x.kind), (x.shape, "i32")])
    return g.cast(g.reshape(values, given.shape), c.value("self").kind), g.reshape(places, given.shape)


@op("sort")
def sort(c):
    return [Held(value) for value in _sorted(c, c["dim"], c["descending"])]


@op("argsort")
def argsort(c):
    return c.give(_sorted(c, c["dim"], c["descending"])[1])


@op("msort")
def msort(c):
    return c.give(_sorted(c, 0, False)[0])


@op("topk")
def topk(c):
    g, given = c.graph, _number(c)
    x = _line(g, given)
    dim, k = c["dim"] % x.rank, hint(c["k"])
    shape = [k if i == dim else size for i, size in enumerate(x.shape)]
    form = f"train.top_k {{0}} of {k} along {dim}{' smallest' * (not c['largest'])}"
    found = g.emit_several(form, [x], [(shape, x.kind), (shape, "i32")])
    return [Held(g.reshape(value, given.shape) if given.rank == 0 else value) for value in found]


@op("kthvalue")
def kthvalue(c):
    return _one_of(c, c["k"] - 1)


@op("median")
def median(c):
    """The lower one of two."""
    if "dim" not in c.arguments:
        raise Unsupported("the median of all elements")
    return _one_of(c, (hint(c.shape("self")[c["dim"]]) - 1) // 2)


def _one_of(c, at):
    g, dim = c.graph, c["dim"] % len(c.shape("self"))
    parts = [g.part(value, dim, at, 1) for value in _sorted(c, dim, False)]
    return [Held(g.reshape(part, c.front.sizes(result.shape))) for part, result in zip(parts, c.result)]


@op("bucketize", "searchsorted")
def bucketize(c):
    """How many boundaries lie before each number."""
    g = c.graph
    bounds = c.value("boundaries" if "boundaries" in c.arguments else "sorted_sequence", "f32")
    if bounds.rank != 1 or c.arguments.get("sorter") is not None:
        raise Unsupported("boundaries of more than one dimension, or in another order")
    x = c.value("self", "f32")
    relation = "le" if c["right"] or c.arguments.get("side") == "right" else "lt"
    before = g.binary(f"compare {relation}", bounds, g.reshape(x, (*x.shape, 1)))
    return c.give(g.cast(g.reduce("reduce_sum", g.cast(before, "f32"), [x.rank]), "i32"))


@op("histc")
def histc(c):
    """How many numbers lie in each of `bins` parts, of which the last one has its end."""
    g, bins, low, high = c.graph, c["bins"], float(c["min"]), float(c["max"])
    if not low < high:
        raise Unsupported("a range that the data gives")
    x = c.value("self", "f32")
    x = g.reshape(x, (count(x.shape),))
    at = g.binary("mul", g.binary("div", g.binary("sub", x, g.scalar(low)), g.scalar(high - low)), g.scalar(float(bins)))
    at = g.select(g.binary("compare eq", x, g.scalar(high)), g.scalar(bins - 1.0), g.unary("floor", at))
    return c.give(g.cast(_counts(g, g.cast(at, "i32"), bins), c.result_kind))


def _counts(g, index, bins):
    shape = (*index.shape, bins)
    unit = g.emit(f"train.one_hot {{0}} to f32{listed(shape)}", [index], shape, "f32")
    return g.reduce("reduce_sum", unit, list(range(index.rank)))
