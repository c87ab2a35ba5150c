# NumPy models of the ops of models, from the documentation of the dialect, not from code.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools
import math

import numpy as np

import running
from running import Val, add, apply, compare, div, in_type, largest, magnitude, maximum, minimum, mul, neg, product, real, select, sub, total

OPS = {}


def op(*names):
    def register(f):
        for name in names:
            OPS["train." + name] = f
        return f
    return register


def last(x):
    return (x.ndim - 1,)


def size(x):
    return int(np.prod(x.shape, dtype=np.int64))


# ---- A number from one or two numbers ----
erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# Function, and roundings of a function's size in the evaluation beyond the first.
FUNCTIONS = {
    "tanh": (np.tanh, 2), "exp": (np.exp, 1), "sqrt": (np.sqrt, 1), "rsqrt": (lambda x: 1 / np.sqrt(x), 1), "log": (np.log, 1),
    "log1p": (np.log1p, 1), "erf": (erf, 2), "sigmoid": (sigmoid, 2), "softplus": (softplus, 3), "sin": (np.sin, 1), "cos": (np.cos, 1),
    "gelu": (lambda x: 0.5 * x * (1 + erf(x * math.sqrt(0.5))), 3), "silu": (lambda x: x * sigmoid(x), 3),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), 4),
    "reciprocal": (lambda x: 1 / x, 1), "square": (lambda x: x * x, 1),
}
# Size of larger terms, for results that are differences of larger, also rounded, numbers.
LARGER = {"gelu": np.abs, "gelu_tanh": np.abs, "sin": np.abs, "cos": np.abs, "softplus": lambda x: np.maximum(x, 0)}


one = lambda x: np.ones_like(x)


def density(x):
    return np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def gelu_tanh_slope(x):
    c = 2 * math.sqrt(2 / math.pi)
    z = c * (x + 0.044715 * x**3)
    return sigmoid(z) + x * sigmoid(z) * sigmoid(-z) * c * (1 + 3 * 0.044715 * x * x)


# Derivatives, and the size of larger terms.
SLOPES = {
    "tanh": (lambda x: 1 / np.cosh(x)**2, one), "exp": np.exp, "sqrt": lambda x: 0.5 / np.sqrt(x), "rsqrt": lambda x: -0.5 / (x * np.sqrt(x)),
    "log": lambda x: 1 / x, "log1p": (lambda x: 1 / (1 + x), one), "erf": lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    "sigmoid": (lambda x: sigmoid(x) * sigmoid(-x), one), "softplus": sigmoid, "sin": (np.cos, one), "cos": (lambda x: -np.sin(x), one),
    "gelu": (lambda x: 0.5 * (1 + erf(x * math.sqrt(0.5))) + x * density(x), lambda x: 1 + np.abs(x)),
    "silu": (lambda x: sigmoid(x) * (1 + x * sigmoid(-x)), lambda x: 1 + np.abs(x)),
    "gelu_tanh": (gelu_tanh_slope, lambda x: 1 + np.abs(x)), "reciprocal": lambda x: -1 / (x * x), "square": lambda x: 2 * x,
}


def function(name):
    f, times = FUNCTIONS[name]

    def run(o, x):
        y = apply(f, x, times=times, slope=SLOPES.get(name))
        if name in LARGER and y.e is not None:
            y = y.within(y.e + Val.precision.function * LARGER[name](x.v))
        return [y]
    return run


for _name in FUNCTIONS:
    OPS["train." + _name] = function(_name)


@op("add")
def _(o, a, b): return [add(a, b)]


@op("sub")
def _(o, a, b): return [sub(a, b)]


@op("mul")
def _(o, a, b): return [mul(a, b)]


@op("div")
def _(o, a, b):
    if a.isReal:
        return [div(a, b)]
    if running.isTruth(a):
        return [mul(a, b)]
    # Integers: rounded towards 0; division by 0 gives 0.
    q = np.where(b.v == 0, 0, np.trunc(a.v / np.where(b.v == 0, 1, b.v))).astype(a.v.dtype)
    return [Val(q, 0 if a.e is None else a.e + b.e)]


@op("neg")
def _(o, x): return [neg(x)]


@op("relu")
def _(o, x): return [maximum(x, real(0.0))]


@op("leaky_relu")
def _(o, x): return [select(compare("gt", x, real(0.0)), x, mul(x, real(o["slope"])))]


@op("clamp")
def _(o, x): return [minimum(maximum(x, real(o["low"])), real(o["high"]))]


@op("reciprocal")
def _(o, x): return [div(real(1.0), x)]  # without a bound where 0 is within that of x


@op("abs")
def _(o, x): return [magnitude(x)]


@op("floor")
def _(o, x):
    v = running.decided(np.floor(x.v))
    return [Val(v, 0 if x.e is None else np.floor(x.v + x.e) - np.floor(x.v - x.e))]


@op("pow")
def _(o, a, b):
    return [power(a, b)]


def power(a, b):
    def pull(g):
        slope, isPositive = mul(b, power(a, sub(b, real(1.0)))), Val(a.v > 0)
        logarithm = apply(np.log, select(isPositive, a, real(1.0)))
        of = select(isPositive, mul(mul(g, power(a, b)), logarithm), real(0.0))
        return [running.to_shape(mul(g, slope), a.shape), running.to_shape(of, b.shape)]
    v = np.power(a.v, b.v)
    if a.e is None:
        return Val(v).of([a, b], pull)
    e = np.zeros_like(v)
    for s, t in itertools.product((-1, -0.5, 0, 0.5, 1), repeat=2):
        e = np.maximum(e, np.abs(np.power(a.v + s * np.minimum(a.e, 1e30), b.v + t * np.minimum(b.e, 1e30)) - v))
    # exp(b log a): the error of the product is multiplied by the product's size.
    e = 1.25 * e + np.abs(v) * (2 + np.abs(b.v * np.log(np.abs(a.v)))) * Val.precision.function * 2
    return running.rounded(v, np.where(np.isnan(v), 0, e)).of([a, b], pull)


@op("maximum")
def _(o, a, b): return [maximum(a, b)]


@op("minimum")
def _(o, a, b): return [minimum(a, b)]


@op("compare")
def _(o, a, b): return [compare(o["predicate"], a, b)]


@op("select")
def _(o, c, a, b): return [select(c, a, b)]


def whole(x, kind):
    """Truncates to the integer type; saturates beyond the range, NaN -> 0."""
    limits = np.iinfo(kind)
    inside = (x >= -2.0**(limits.bits - 1)) & (x < 2.0**(limits.bits - 1))
    v = np.where(inside, np.trunc(x), 0).astype(kind)
    return np.where(np.isnan(x) | inside, v, np.where(x > 0, limits.max, limits.min)).astype(kind)


@op("logical_and")
def _(o, a, b): return [running.truth(a.v & b.v, a, b)]


@op("logical_or")
def _(o, a, b): return [running.truth(a.v | b.v, a, b)]


@op("logical_xor")
def _(o, a, b): return [running.truth(a.v != b.v, a, b)]


@op("logical_not")
def _(o, x): return [running.truth(~x.v, x)]


@op("cast")
def _(o, x):
    element = o.result_types[0][1]
    kind = {"i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64}.get(element, np.float64)
    if kind is np.float64:
        return [x.within(0 if x.e is None else x.e) if x.isReal else Val(x.v.astype(kind), 0 if x.e is None else x.e)]
    if x.isReal and kind is not np.bool_:
        v = running.decided(whole(x.v, kind))
        if x.e is None:
            return [Val(v)]
        low, high = (np.asarray(whole(end, kind), np.float64) for end in (x.v - x.e, x.v + x.e))
        return [Val(v, np.where(np.isnan(x.v), x.e, high - low))]
    v = x.v != 0 if kind is np.bool_ else x.v.astype(kind)
    if x.isReal:
        running.decided(v)
    return [Val(v, 0 if x.e is None else np.where(x.e > 0, np.inf, 0))]


@op("gradient")
def _(o, x): return [x]


@op("stop_gradient")
def _(o, x): return [Val(x.v, 0 if x.e is None else x.e)]


# ---- Data that moves ----
@op("constant")
def _(o): return [Val(o["value"])]


@op("iota")
def _(o):
    shape, element = o.result_types[0]
    at = np.arange(shape[o["dim"]]).reshape([-1 if i == o["dim"] else 1 for i in range(len(shape))])
    kind = {"i32": np.int32, "i64": np.int64}.get(element, np.float64)
    return [Val(np.broadcast_to(at, shape).astype(kind))]


@op("reshape")
def _(o, x): return [x.moved(lambda a: a.reshape(o.result_types[0][0]))]


@op("transpose")
def _(o, x): return [x.moved(lambda a: a.transpose(o["permutation"]))]


@op("broadcast_to")
def _(o, x): return [x.moved(lambda a: np.broadcast_to(a, o.result_types[0][0]))]


@op("slice")
def _(o, x):
    places = tuple(slice(at, at + (n - 1) * by + 1, by) for at, n, by in zip(o["offsets"], o["sizes"], o["strides"]))
    return [x.moved(lambda a: a[places])]


@op("pad")
def _(o, x):
    places = tuple(slice(low, low + (n - 1) * (gap + 1) + 1, gap + 1) for low, n, gap in zip(o["low"], x.shape, o["interior"]))

    def padded(a):
        result = np.zeros(o.result_types[0][0], a.dtype)
        result[places] = a
        return result
    isOwn, value = Val(padded(np.ones(x.shape, bool))), real(o["value"])
    return [select(isOwn, x.moved(padded), value if x.isReal else Val(value.v.astype(x.v.dtype)))]


@op("concat")
def _(o, *parts): return [running.moved_all(lambda *arrays: np.concatenate(arrays, o["dim"]), *parts)]


@op("split")
def _(o, x):
    cuts = np.cumsum(o["sizes"])[:-1]
    return [x.moved(lambda a, i=i: np.split(a, cuts, o["dim"])[i]) for i in range(len(o["sizes"]))]


# ---- Rows by number ----
@op("gather", "embedding")
def _(o, table, index):
    rows, padding = table.shape[0], o["padding"]
    at = index.v.astype(np.int64)
    if o["from_end"]:
        at = np.where(at < 0, at + rows, at)
        padding = padding + rows if padding is not None and padding < 0 else padding
    inside = (at >= 0) & (at < rows)
    row, at = at, np.where(inside, at, 0)
    ahead = tuple(range(index.ndim, index.ndim + table.ndim - 1))
    hole = np.expand_dims(~inside, ahead)
    y = table.moved(lambda a: np.where(hole, np.zeros((), a.dtype), a[at]))
    y = y if y.e is None else y.within(np.where(np.expand_dims(index.e > 0, ahead), np.inf, y.e))
    # A row of padding has no gradient.
    skipped = Val(np.broadcast_to(np.expand_dims(row == padding, ahead), y.shape)) if padding is not None else None
    return [y if skipped is None else select(skipped, Val(y.v, 0 if y.e is None else y.e), y)]


def scatter(updates, index, rows, padding=None):
    shape = (rows,) + updates.shape[index.ndim:]
    flat = updates.moved(lambda a: a.reshape((index.v.size,) + shape[1:]))
    result, bound, sizes, counts = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(rows)
    for i, at in enumerate(index.v.reshape(-1)):
        if 0 <= at < rows and at != padding:
            result[at] += flat.v[i]
            counts[at] += 1
            if updates.e is not None:
                bound[at] += flat.e[i]
                sizes[at] += np.abs(flat.v[i])
    # Updates that are left out get nothing.
    isKept = (index.v.reshape(-1) >= 0) & (index.v.reshape(-1) < rows) & (True if padding is None else index.v.reshape(-1) != padding)
    column = isKept.reshape((-1,) + (1,) * (len(shape) - 1))
    rows_of = lambda a: np.where(column, a[np.where(isKept, index.v.reshape(-1), 0)], np.zeros((), a.dtype)).reshape(updates.shape)
    pull = lambda g: [g.moved(rows_of)]
    if updates.e is None:
        return Val(result).of([updates], pull)
    counts = counts.reshape((rows,) + (1,) * (len(shape) - 1))
    unsure = np.inf if (index.e > 0).any() else 0
    return Val(result, bound + counts * Val.precision.unit * (sizes + bound) + unsure).of([updates], pull)


@op("scatter_add")
def _(o, updates, index): return [scatter(updates, index, o.result_types[0][0][0], o["padding"])]


@op("segment_sum")
def _(o, updates, index):
    (shape, _), _ = o.result_types
    sums = scatter(updates, index, o["of"])
    used = sorted({int(at) for at in index.v.reshape(-1) if 0 <= at < o["of"]})
    rows = np.full(shape[0], -1, np.int32)
    rows[:len(used)] = used

    def picked(a):
        result = np.zeros(shape)
        result[:len(used)] = a[used]
        return result
    unsure = 0 if index.e is None else (np.inf if (index.e > 0).any() else 0)
    return [sums.moved(picked), Val(rows, unsure)]


@op("scatter_rows")
def _(o, rows, index, table):
    flat = rows.moved(lambda a: a.reshape((index.v.size,) + table.shape[1:]))
    v, e = table.v.copy(), None if table.e is None else np.array(table.e, np.float64)
    seen = set()
    for i, at in enumerate(index.v.reshape(-1)):
        if not 0 <= at < table.shape[0]:
            continue
        v[at] = flat.v[i]
        if e is not None:
            # Two rows with the same index: the winner is undefined.
            e[at] = np.inf if at in seen or (index.e > 0).any() else flat.e[i]
        seen.add(at)
    return [Val(v, 0 if e is None else e)]


@op("one_hot")
def _(o, label):
    classes = o.result_types[0][0][-1]
    v = (label.v[..., None] == np.arange(classes)).astype(np.float64)
    return [Val(v, 0 if label.e is None else np.broadcast_to(label.e[..., None], v.shape))]


# ---- Reductions and rows ----
@op("reduce_sum")
def _(o, x): return [total(x, o["dims"])]


@op("reduce_mean")
def _(o, x):
    count = size(x) / max(1, int(np.prod(o.result_types[0][0], dtype=np.int64)))
    return [div(total(x, o["dims"]), real(count))]


@op("global_avg_pool")
def _(o, x):
    places = range(1, x.ndim - 1)
    return [div(total(x, places), real(int(np.prod(x.shape[1:-1], dtype=np.int64))))]


@op("reduce_max")
def _(o, x): return [largest(x, o["dims"])]


@op("reduce_min")
def _(o, x): return [neg(largest(neg(x), o["dims"]))]


def exp(x): return apply(np.exp, x, slope=np.exp)
def log(x): return apply(np.log, x, slope=SLOPES["log"])
def rsqrt(x): return apply(lambda v: 1 / np.sqrt(v), x, slope=SLOPES["rsqrt"])


def shifted(x, axes):
    top = x.v.max(axis=tuple(axes), keepdims=True)
    top = Val(np.where(np.isfinite(top), top, 0.0))  # any number would do, since the term cancels
    return sub(x, top), top


@op("logsumexp")
def _(o, x):
    if not o["dims"]:
        return [x]
    d, top = shifted(x, o["dims"])
    y = add(top, log(total(exp(d), o["dims"], keep=True)))
    return [y.moved(lambda a: a.reshape(o.result_types[0][0]))]


def softmax_of(x):
    d, _ = shifted(x, last(x))
    e = exp(d)
    return div(e, total(e, last(x), keep=True))


def log_softmax_of(x):
    d, _ = shifted(x, last(x))
    return sub(d, log(total(exp(d), last(x), keep=True)))


@op("softmax")
def _(o, x): return [softmax_of(x)]


@op("log_softmax")
def _(o, x): return [log_softmax_of(x)]


@op("argmax")
def _(o, x):
    v = np.argmax(x.v, -1)
    v = np.where(np.isnan(x.v).any(-1), x.shape[-1] - 1, v).astype(np.int32)
    if x.e is None:
        return [Val(v)]
    best = np.take_along_axis(x.v - x.e, v[..., None].astype(np.int64), -1)
    others = x.v + x.e >= best
    np.put_along_axis(others, v[..., None].astype(np.int64), False, -1)
    exact = (x.e == 0).all(-1)
    return [Val(v, np.where(others.any(-1) & ~exact, np.inf, 0))]


# ---- Losses ----
def reduced(o, losses, counted=None):
    how = o["reduction"] or "mean"
    if how == "none":
        return losses
    # The op is a composition of the loss per row or element, and a reduction.
    losses = in_type(losses, o.result_types[0][1])
    s = total(losses, range(losses.ndim))
    if how == "sum":
        return s
    n = size(losses) if counted is None else int(np.count_nonzero(counted))
    return div(s, real(n)) if n else Val(np.zeros(()))


@op("softmax_cross_entropy")
def _(o, x, target):
    classes, smoothing = x.shape[-1], o["smoothing"] or 0.0
    counted = None
    if target.isReal:
        t = target
    else:
        counted = np.ones(target.shape, bool) if o["ignore"] is None else target.v != o["ignore"]
        # Nothing is promised of a class that does not exist.
        exists = (target.v >= 0) & (target.v < classes) | ~counted
        t = Val((target.v[..., None] == np.arange(classes)).astype(np.float64),
                0 if target.e is None else np.broadcast_to(np.where(exists, target.e, np.inf)[..., None], x.shape))
    if smoothing:
        t = add(mul(t, real(1 - smoothing)), real(smoothing / classes))
    rows = neg(total(mul(t, log_softmax_of(x)), last(x)))
    if counted is not None:
        rows = select(Val(counted), rows, real(0.0))
    return [reduced(o, rows, counted)]


def log_beside(x):
    """log(1 + exp(-|x|)), whose kink is that of max(x, 0)."""
    beside = lambda v: -np.sign(v) * sigmoid(-np.abs(v))
    return apply(lambda v: np.log1p(np.exp(-np.abs(v))), x, times=2, slope=(beside, one))


@op("bce_with_logits")
def _(o, x, t):
    # max(x, 0) - x t + log(1 + exp(-|x|))
    return [reduced(o, add(sub(maximum(x, real(0.0)), mul(x, t)), log_beside(x)))]


@op("mse")
def _(o, x, t):
    d = sub(x, t)
    return [reduced(o, mul(d, d))]


@op("l1")
def _(o, x, t):
    return [reduced(o, magnitude(sub(x, t)))]


@op("smooth_l1")
def _(o, x, t):
    d, beta = sub(x, t), o["beta"]
    d = magnitude(d)
    inner = div(mul(real(0.5), mul(d, d)), real(beta))
    return [reduced(o, select(compare("gt", real(beta), d), inner, sub(d, real(0.5 * beta))))]
