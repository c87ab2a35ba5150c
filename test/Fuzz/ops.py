# What ops of models compute, in numpy: from the documentation of the dialect, not from its code.
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


# ---- One number from one or two ----
erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# A function, and how many roundings of a function's size its evaluation has beyond the first.
FUNCTIONS = {
    "tanh": (np.tanh, 2), "exp": (np.exp, 1), "sqrt": (np.sqrt, 1), "rsqrt": (lambda x: 1 / np.sqrt(x), 1), "log": (np.log, 1),
    "log1p": (np.log1p, 1), "erf": (erf, 2), "sigmoid": (sigmoid, 2), "softplus": (softplus, 3), "sin": (np.sin, 1), "cos": (np.cos, 1),
    "gelu": (lambda x: 0.5 * x * (1 + erf(x * math.sqrt(0.5))), 3), "silu": (lambda x: x * sigmoid(x), 3),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), 4),
    "reciprocal": (lambda x: 1 / x, 1), "square": (lambda x: x * x, 1),
}
# Where a function's result is a difference of larger numbers, these are rounded too.
LARGER = {"gelu": np.abs, "gelu_tanh": np.abs, "sin": np.abs, "cos": np.abs, "softplus": lambda x: np.maximum(x, 0)}


def function(name):
    f, times = FUNCTIONS[name]

    def run(o, x):
        y = apply(f, x, times=times)
        if name in LARGER and y.e is not None:
            y = Val(y.v, y.e + Val.precision.function * LARGER[name](x.v))
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
    # Of integers: rounded towards 0; by 0 it is 0.
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


@op("abs")
def _(o, x): return [magnitude(x)]


@op("floor")
def _(o, x):
    v = running.decided(np.floor(x.v))
    return [Val(v, 0 if x.e is None else np.floor(x.v + x.e) - np.floor(x.v - x.e))]


@op("pow")
def _(o, a, b):
    v = np.power(a.v, b.v)
    if a.e is None:
        return [Val(v)]
    e = np.zeros_like(v)
    for s, t in itertools.product((-1, -0.5, 0, 0.5, 1), repeat=2):
        e = np.maximum(e, np.abs(np.power(a.v + s * np.minimum(a.e, 1e30), b.v + t * np.minimum(b.e, 1e30)) - v))
    # exp(b log a): the error of the product counts as often as it is large.
    e = 1.25 * e + np.abs(v) * (2 + np.abs(b.v * np.log(np.abs(a.v)))) * Val.precision.function * 2
    return [running.rounded(v, np.where(np.isnan(v), 0, e))]


@op("maximum")
def _(o, a, b): return [maximum(a, b)]


@op("minimum")
def _(o, a, b): return [minimum(a, b)]


@op("compare")
def _(o, a, b): return [compare(o["predicate"], a, b)]


@op("select")
def _(o, c, a, b): return [select(c, a, b)]


def whole(x, kind):
    """Without its fraction; the nearest end of the type where it does not fit, and 0 where it is no number."""
    limits = np.iinfo(kind)
    inside = (x >= -2.0**(limits.bits - 1)) & (x < 2.0**(limits.bits - 1))
    v = np.where(inside, np.trunc(x), 0).astype(kind)
    return np.where(np.isnan(x) | inside, v, np.where(x > 0, limits.max, limits.min)).astype(kind)


@op("cast")
def _(o, x):
    element = o.result_types[0][1]
    kind = {"i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64}.get(element, np.float64)
    if kind is np.float64:
        return [Val(x.v.astype(kind), x.e if x.e is not None else 0)]
    if x.isReal and kind is not np.bool_:
        v = whole(x.v, kind)
        if x.e is None:
            return [Val(v)]
        low, high = (np.asarray(whole(end, kind), np.float64) for end in (x.v - x.e, x.v + x.e))
        return [Val(v, np.where(np.isnan(x.v), x.e, high - low))]
    v = x.v != 0 if kind is np.bool_ else x.v.astype(kind)
    return [Val(v, 0 if x.e is None else np.where(x.e > 0, np.inf, 0))]


@op("stop_gradient", "gradient")
def _(o, x): return [x]


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

    def padded(a, value):
        result = np.full(o.result_types[0][0], value, a.dtype)
        result[places] = a
        return result
    value = real(o["value"])
    return [Val(padded(x.v, value.v), 0 if x.e is None else padded(np.asarray(x.e, np.float64), value.e))]


@op("concat")
def _(o, *parts):
    return [Val(np.concatenate([p.v for p in parts], o["dim"]), 0 if parts[0].e is None else np.concatenate([p.e for p in parts], o["dim"]))]


@op("split")
def _(o, x):
    cuts = np.cumsum(o["sizes"])[:-1]
    values = np.split(x.v, cuts, o["dim"])
    bounds = [0] * len(values) if x.e is None else np.split(x.e, cuts, o["dim"])
    return [Val(v, e) for v, e in zip(values, bounds)]


# ---- Rows by number ----
@op("gather", "embedding")
def _(o, table, index):
    rows = table.shape[0]
    inside = (index.v >= 0) & (index.v < rows)
    at = np.where(inside, index.v, 0)
    hole = np.expand_dims(~inside, tuple(range(index.ndim, index.ndim + table.ndim - 1)))
    v = np.where(hole, np.zeros((), table.v.dtype), table.v[at])
    if table.e is None:
        return [Val(v)]
    unsure = np.expand_dims(index.e > 0, tuple(range(index.ndim, index.ndim + table.ndim - 1)))
    return [Val(v, np.where(unsure, np.inf, np.where(hole, 0, table.e[at])))]


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
    if updates.e is None:
        return Val(result)
    counts = counts.reshape((rows,) + (1,) * (len(shape) - 1))
    unsure = np.inf if (index.e > 0).any() else 0
    return Val(result, bound + counts * Val.precision.unit * (sizes + bound) + unsure)


@op("scatter_add")
def _(o, updates, index): return [scatter(updates, index, o.result_types[0][0][0], o["padding"])]


@op("sum_rows")
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


@op("put_rows")
def _(o, rows, index, table):
    flat = rows.moved(lambda a: a.reshape((index.v.size,) + table.shape[1:]))
    v, e = table.v.copy(), None if table.e is None else np.array(table.e, np.float64)
    seen = set()
    for i, at in enumerate(index.v.reshape(-1)):
        if not 0 <= at < table.shape[0]:
            continue
        v[at] = flat.v[i]
        if e is not None:
            # Which of two rows with one number wins is not said.
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


def exp(x): return apply(np.exp, x)
def log(x): return apply(np.log, x)


def shifted(x, axes):
    top = x.v.max(axis=tuple(axes), keepdims=True)
    top = Val(np.where(np.isfinite(top), top, 0.0))  # any number would do: it cancels
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
    # The op is made of one that gives the loss of every row or element, and a reduction.
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
        t = Val((target.v[..., None] == np.arange(classes)).astype(np.float64),
                0 if target.e is None else np.broadcast_to(target.e[..., None], x.shape))
    if smoothing:
        t = add(mul(t, real(1 - smoothing)), real(smoothing / classes))
    rows = neg(total(mul(t, log_softmax_of(x)), last(x)))
    if counted is not None:
        rows = Val(np.where(counted, rows.v, 0.0), 0 if rows.e is None else np.where(counted, rows.e, 0))
    return [reduced(o, rows, counted)]


@op("bce_with_logits")
def _(o, x, t):
    # max(x, 0) - x t + log(1 + exp(-|x|))
    return [reduced(o, add(sub(maximum(x, real(0.0)), mul(x, t)), apply(lambda v: np.log1p(np.exp(-np.abs(v))), x, times=2)))]


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


# ---- Norms ----
def rsqrt(x): return apply(lambda v: 1 / np.sqrt(v), x)


def row_statistics(x, eps):
    n = real(x.shape[-1])
    mean = div(total(x, last(x), keep=True), n)
    centred = sub(x, mean)
    variance = div(total(mul(centred, centred), last(x), keep=True), n)
    return mean, centred, rsqrt(add(variance, real(eps)))


@op("layer_norm")
def _(o, x, gamma, beta):
    _, centred, scale = row_statistics(x, o["eps"])
    return [add(mul(mul(centred, scale), gamma), beta)]


def root_scale(x, eps):
    return rsqrt(add(div(total(mul(x, x), last(x), keep=True), real(x.shape[-1])), real(eps)))


@op("rms_norm")
def _(o, x, gamma): return [mul(mul(x, root_scale(x, o["eps"])), gamma)]


def flat_column(x):
    return x.moved(lambda a: a.reshape(a.shape[:-1]))


@op("layer_norm_grad")
def _(o, x, gamma, g):
    mean, centred, scale = row_statistics(x, o["eps"])
    h, n = mul(centred, scale), real(x.shape[-1])
    gg = mul(g, gamma)
    inner = sub(sub(gg, div(total(gg, last(x), keep=True), n)), mul(h, div(total(mul(gg, h), last(x), keep=True), n)))
    return [mul(scale, inner), flat_column(mean), flat_column(scale)]


@op("rms_norm_grad")
def _(o, x, gamma, g):
    scale, n = root_scale(x, o["eps"]), real(x.shape[-1])
    h, gg = mul(x, scale), mul(g, gamma)
    return [mul(scale, sub(gg, mul(h, div(total(mul(gg, h), last(x), keep=True), n)))), flat_column(scale)]


@op("batch_normalize")
def _(o, x, mean, scale, gamma, beta, count):
    return [add(mul(mul(sub(x, mean), scale), gamma), beta)]


def batch_norm(o, x, gamma, beta, state, training):
    """The result, and what the running statistics become."""
    if not training:
        mean, variance = state[o["running_mean"].lstrip("@")], state[o["running_variance"].lstrip("@")]
        return [add(mul(sub(x, mean), mul(rsqrt(add(variance, real(o["eps"]))), gamma)), beta)]
    axes = tuple(range(x.ndim - 1))
    n = real(size(x) / x.shape[-1])
    mean = div(total(x, axes), n)
    d = sub(x, mean)
    return [add(mul(mul(d, rsqrt(add(div(total(mul(d, d), axes), n), real(o["eps"])))), gamma), beta)]


# ---- Contractions ----
def matmul_of(a, b):
    return product(np.matmul, a, b, a.shape[-1])


def turned(x):
    return x.moved(lambda a: np.swapaxes(a, -1, -2))


@op("matmul")
def _(o, a, b): return [matmul_of(turned(a) if o["transpose_lhs"] else a, turned(b) if o["transpose_rhs"] else b)]


@op("linear")
def _(o, x, w, bias=None):
    y = matmul_of(x, w)
    return [y if bias is None else add(y, bias)]


def scores_of(o, q, k, bias):
    factor = o["scale"] if o["scale"] is not None else 1 / math.sqrt(q.shape[-1])
    s = mul(matmul_of(q, turned(k)), real(factor))
    s = s if bias is None else add(s, bias)
    if o["causal"]:
        m, n = s.shape[-2:]
        hidden = np.arange(n)[None, :] > np.arange(m)[:, None] + (n - m)
        s = Val(np.where(hidden, -np.inf, s.v), 0 if s.e is None else np.where(hidden, 0, s.e))
    return s, factor


@op("attention")
def _(o, q, k, v, bias=None):
    s, _ = scores_of(o, q, k, bias)
    p = softmax_of(s)
    p = Val(np.where(np.isnan(p.v), 0, p.v), 0 if p.e is None else p.e) if bias is not None else p
    return [matmul_of(running.stored(p), v)]


@op("attention_grad")
def _(o, q, k, v, *rest):
    bias = rest[0] if len(rest) == 4 else None
    out, lse, g = rest[-3:]
    s, factor = scores_of(o, q, k, bias)
    part = lambda i: lse.moved(lambda a: a[..., i, :])
    column = lambda x: x.moved(lambda a: a[..., None])
    p = running.stored(exp(sub(sub(s, column(part(0))), column(part(1)))))
    dv = matmul_of(turned(p), g)
    ds = running.stored(mul(p, sub(matmul_of(g, turned(v)), total(mul(g, out), last(g), keep=True))))
    results = [mul(matmul_of(ds, k), real(factor)), mul(matmul_of(turned(ds), q), real(factor)), dv]
    return results + ([ds] if len(o.result_types) == 4 else [])


# ---- Random numbers: all that is known of them is where they lie ----
def between(low, high, shape):
    return Val(np.full(shape, (low + high) / 2), 0 if Val.precision is None else (high - low) / 2)


@op("random_uniform")
def _(o): return [between(o["low"], o["high"], o.result_types[0][0])]


@op("random_normal")
def _(o): return [between(o["mean"] - 7 * o["std"], o["mean"] + 7 * o["std"], o.result_types[0][0])]


@op("random_bernoulli")
def _(o):
    p = o["probability"]
    return [between(0.0 if p < 1 else 1.0, 1.0 if p > 0 else 0.0, o.result_types[0][0])]


@op("stochastic_round", "round_weight")
def _(o, x, count):
    unit, least = (2.0**-10, 2.0**-24) if o.result_types[0][1] == "f16" else (2.0**-7, 1e-40)
    return [Val(x.v, 0 if x.e is None else x.e + unit * (np.abs(x.v) + x.e) + least)]


def dropout(o, x, training):
    if not training or not o["rate"]:
        return [x]
    scale = 1 / (1 - o["rate"])
    return [mul(x, between(0.0, scale, x.shape))]
