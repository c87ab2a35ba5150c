# NumPy models of ops along a dimension, by index, in order, and around the ends of a tensor.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import re

import numpy as np

import functions  # noqa: F401, gives names to ops that look along a dimension
import layers
import running
from ops import op, OPS
from running import Val, div, mul, real, select, total


# ---- The dimension that an op looks along ----
def along(run):
    """Adapts `run`, which works along the last dimension, to any `dim`: operands of the first operand's rank have `dim` moved to the end,
    results back."""
    @functools.wraps(run)
    def moved(o, x, *rest):
        if o["dim"] in (None, -1, x.ndim - 1):
            return run(o, x, *rest)

        def place(v, source, target):
            isWhole = isinstance(v, Val) and v.ndim == x.ndim
            return v.moved(lambda a: np.moveaxis(a, source, target)) if isWhole else v
        results = run(o, *(place(v, o["dim"], -1) for v in (x, *rest)))
        return [place(y, -1, o["dim"]) for y in results]
    return moved


for _name in ("softmax", "log_softmax", "argmax", "softmax_cross_entropy", "weighted_cross_entropy", "nll", "cosine_loss", "triplet", "layer_norm",
              "rms_norm", "group_norm", "instance_norm", "lrn"):
    OPS["train." + _name] = along(OPS["train." + _name])
layers.batch_norm = along(layers.batch_norm)


# ---- Elements by number ----
def places(o, index, size):
    """(index from the front, whether the index names an element)"""
    at = index.v.astype(np.int64)
    if o["from_end"]:
        at = np.where(at < 0, at + size, at)
    return at, (at >= 0) & (at < size)


def unsure(index):
    return 0 if index.e is None else np.where(index.e > 0, np.inf, 0)


@op("take_along_axis")
def _(o, x, index):
    at, inside = places(o, index, x.shape[o["dim"]])
    take = lambda a: np.where(inside, np.take_along_axis(a, np.where(inside, at, 0), o["dim"]), np.zeros((), a.dtype))
    y = x.moved(take)
    return [y if y.e is None else y.within(y.e + unsure(index))]


def lines(shape, index, inside, dim):
    """(update, element) of each index inside, in order."""
    for place in np.ndindex(*shape):
        if inside[place]:
            yield place, place[:dim] + (int(index[place]),) + place[dim + 1:]


@op("add_along_axis")
def _(o, updates, index):
    shape = list(updates.shape)
    shape[o["dim"]] = o["of"]
    at, inside = places(o, index, o["of"])
    v, e, size, count = (np.zeros(shape) for _ in range(4))
    for place, to in lines(updates.shape, at, inside, o["dim"]):
        v[to] += updates.v[place]
        size[to] += abs(updates.v[place])
        count[to] += 1
        e[to] += 0 if updates.e is None else updates.e[place]
    taken = lambda a: np.where(inside, np.take_along_axis(a, np.where(inside, at, 0), o["dim"]), np.zeros((), a.dtype))
    bound = 0 if updates.e is None else e + count * Val.precision.unit * (size + e) + np.max(unsure(index), initial=0)
    return [Val(v, bound).of([updates], lambda g: [g.moved(taken)])]


@op("scatter")
def _(o, updates, index, x):
    mode = ("set", "add", "mul", "max", "min")[o["mode"]]
    at, inside = places(o, index, x.shape[o["dim"]])
    v, e = np.array(x.v, np.float64), None if x.e is None else np.array(x.e, np.float64)
    size = np.abs(v)
    for place, to in lines(updates.shape, at, inside, o["dim"]):
        a, b = v[to], updates.v[place]
        v[to] = {"set": b, "add": a + b, "mul": a * b, "max": np.maximum(a, b), "min": np.minimum(a, b)}[mode]
        if e is None:
            continue
        ea, eb, unit = e[to], updates.e[place], Val.precision.unit
        size[to] += abs(b)  # partial sums in any order
        e[to] = {"set": eb, "add": ea + eb + unit * (size[to] + ea + eb), "max": max(ea, eb), "min": max(ea, eb),
                 "mul": abs(a) * eb + abs(b) * ea + ea * eb + 2 * unit * abs(a * b) + Val.precision.tiny}[mode]
    # Gradients depend on mode and order of the updates: no bound.
    unbounded = lambda g: [Val(np.zeros(x.shape), np.inf), Val(np.zeros(updates.shape), np.inf)]
    return [Val(v, 0 if e is None else e + np.max(unsure(index), initial=0)).of([x, updates], unbounded)]


# ---- In order ----
def ordered(x, dim, descending):
    """Indices of the sorted elements and, per line, whether rounding may change the order. NaN is greater than any number."""
    back = np.flip(x.v, dim) if descending else x.v
    order = np.argsort(back, dim, kind="stable")
    if descending:  # of equal elements the first comes first
        order = np.flip(x.shape[dim] - 1 - order, dim)
    if x.e is None:
        return Val(order.astype(np.int32))
    v, e = (np.take_along_axis(a, order, dim) for a in (x.v, x.e))
    if descending:
        v, e = np.flip(v, dim), np.flip(e, dim)
    with np.errstate(invalid="ignore"):
        ends, starts = np.maximum.accumulate(v + e, dim), v - e
    n = x.shape[dim]
    apart = np.take(ends, range(n - 1), dim) < np.take(starts, range(1, n), dim)
    sure = apart.all(dim, keepdims=True) | (e == 0).all(dim, keepdims=True)
    return Val(order.astype(np.int32), np.where(np.broadcast_to(sure, order.shape), 0, np.inf))


def in_order(x, dim, descending, k=None):
    order = ordered(x, dim, descending)
    y = x.moved(lambda a: np.take_along_axis(a, order.v.astype(np.int64), dim))
    # The k-th of several numbers moves by at most the largest move.
    e = 0 if x.e is None else np.broadcast_to(x.e.max(dim, keepdims=True), y.shape)
    if x.e is not None and np.isnan(x.v).any():
        e = np.where((x.e > 0).any(dim, keepdims=True) & np.isnan(x.v).any(dim, keepdims=True), np.inf, e)
    first = lambda a: np.take(a, range(k or x.shape[dim]), dim)

    def pull(g):
        # Where rounding decides the order, any element may have the gradient.
        return [g.within(np.inf) if np.any(unsure(order)) else g]
    return [Val(y.v, e).of([y], pull).moved(first), order.moved(first)]


@op("argsort")
def _(o, x):
    if o["below"] is not None and not ((x.v >= 0) & (x.v < o["below"]) & (x.v == np.floor(x.v))).all():
        return [Val(np.zeros(x.shape, np.int32), np.inf)]  # other numbers than promised: no order
    return [ordered(x, x.ndim - 1, bool(o["descending"]))]


@op("sort")
def _(o, x): return in_order(x, o["dim"], bool(o["descending"]))


@op("top_k")
def _(o, x): return in_order(x, o["dim"], not o["smallest"], o["k"])


# ---- Bags ----
@op("embedding_bag")
def _(o, table, index, *rest):
    segments = [int(n) for n in re.findall(r"\d+", str(o["operandSegmentSizes"]).split(":")[-1])]
    rest = list(rest)
    bags = rest.pop(0) if segments[2] else None
    weights = rest.pop(0) if segments[3] else None
    mode, (count, width) = ("sum", "mean", "max")[o["mode"]], o.result_types[0][0]
    at, inside = places(o, index, table.shape[0])
    padding = o["padding"]
    if padding is not None and o["from_end"] and padding < 0:
        padding += table.shape[0]
    member = np.arange(count)[:, None] == bags.v if bags is not None else np.arange(count)[:, None] == np.repeat(np.arange(count), index.shape[1])
    member = member & (at.reshape(-1) != padding if padding is not None else True)
    rows = table.moved(lambda a: np.where(inside.reshape(-1, 1), a[np.where(inside, at, 0).reshape(-1)], 0))
    if weights is not None:
        rows = mul(rows, weights.moved(lambda a: a.reshape(-1, 1)))
    parts = []
    for b in range(count):
        own = rows.moved(lambda a: a[member[b]])
        if not member[b].any():
            parts.append(Val(np.zeros(width)))
        elif mode == "max":
            parts.append(running.largest(own, [0]))
        else:
            sum = total(own, [0])
            parts.append(div(sum, real(member[b].sum())) if mode == "mean" else sum)
    wild = np.max(unsure(index), initial=0) + (0 if bags is None else np.max(unsure(bags), initial=0))
    y = running.moved_all(lambda *arrays: np.stack(arrays), *parts)
    return [y if y.e is None else y.within(y.e + wild)]


# ---- Around the ends ----
def source(mode, at, n):
    """Where the element at a place outside of 0 to n - 1 comes from; None for nowhere."""
    if 0 <= at < n:
        return at
    if mode == "edge":
        return min(max(at, 0), n - 1)
    if mode == "wrap":
        return at % n
    if mode == "reflect":
        period = max(1, 2 * (n - 1))
        return min(at % period, period - at % period) if n > 1 else 0
    return None


@op("pad_mode")
def _(o, x):
    mode = ("constant", "reflect", "edge", "wrap")[o["mode"]]
    for dim, (low, high) in enumerate(zip(o["low"], o["high"])):
        n = x.shape[dim]
        at = [source(mode, i, n) for i in range(-low, n + high)]
        hole = np.array([i is None for i in at]).reshape([-1 if d == dim else 1 for d in range(x.ndim)])
        value = real(o["value"] or 0.0)
        taken = x.moved(lambda a, at=at, dim=dim: np.take(a, [i or 0 for i in at], dim))
        x = select(Val(np.broadcast_to(hole, taken.shape)), value if x.isReal else Val(value.v.astype(x.v.dtype)), taken)
    return [x]


@op("strided_slice")
def _(o, x):
    places = [np.arange(n) * by + at for at, n, by in zip(o["offsets"], o["sizes"], o["strides"])]
    return [x.moved(lambda a: a[np.ix_(*places)] if places else a)]
