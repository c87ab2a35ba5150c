# NumPy models of further functions, scans, moves and losses.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import math

import numpy as np

import running
from ops import FUNCTIONS, LARGER, SLOPES, exp, function, last, log, log_beside, log_softmax_of, one, op, OPS, power, reduced, rsqrt, sigmoid, softplus
from running import Val, add, apply, compare, div, in_type, magnitude, maximum, minimum, mul, neg, real, select, sub, total

MORE = {
    "tan": (np.tan, 2), "asin": (np.arcsin, 2), "acos": (np.arccos, 2), "atan": (np.arctan, 2), "expm1": (np.expm1, 2), "sinh": (np.sinh, 3),
    "cosh": (np.cosh, 3), "asinh": (np.arcsinh, 3), "acosh": (np.arccosh, 3), "atanh": (np.arctanh, 3),
    "mish": (lambda x: x * np.tanh(softplus(x)), 4), "softsign": (lambda x: x / (1 + np.abs(x)), 1),
}
# The angle is rounded where the result is small.
SIZES = {"acos": lambda x: np.full_like(x, math.pi / 2), "mish": np.abs}
FUNCTIONS.update(MORE)


def mish_slope(x):
    t = np.tanh(softplus(x))
    return t + x * sigmoid(x) * (1 - t * t)


SLOPES.update({
    "tan": (lambda x: 1 / np.cos(x)**2, one), "asin": lambda x: 1 / np.sqrt((1 - x) * (1 + x)), "acos": lambda x: -1 / np.sqrt((1 - x) * (1 + x)),
    "atan": lambda x: 1 / (1 + x * x), "expm1": (np.exp, one), "sinh": np.cosh, "cosh": np.sinh, "asinh": lambda x: 1 / np.hypot(1, x),
    "acosh": lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)), "atanh": lambda x: 1 / ((1 - x) * (1 + x)),
    "mish": (mish_slope, lambda x: 1 + np.abs(x)), "softsign": lambda x: 1 / (1 + np.abs(x))**2,
})
LARGER.update(SIZES)
for _name in MORE:
    OPS["train." + _name] = function(_name)


def inverse_error(x):
    """Inverse of erf by Newton's method on erf, from 0.5 on by Newton's method on erfc: 1 - |x| is exact."""
    def one(x):
        size, y = abs(x), 0.0
        if not size < 1:
            return math.copysign(math.inf, x) if size == 1 else math.nan
        for _ in range(200):
            miss = math.erf(y) - size if size < 0.5 else (1 - size) - math.erfc(y)
            y -= max(-0.5, min(0.5, miss * math.sqrt(math.pi) / 2 * math.exp(min(y * y, 40))))
        return math.copysign(y, x)
    return np.vectorize(one, otypes=[np.float64])(x)


@op("erfinv")
def _(o, x): return [apply(inverse_error, x, times=2)]


def stepwise(f):
    """A function that only jumps."""
    def run(o, x):
        running.number(x)
        v = running.decided(f(x.v).astype(x.v.dtype))
        return [Val(v, 0 if x.e is None else np.abs(f(x.v + x.e) - f(x.v - x.e)))]
    return run


OPS["train.ceil"], OPS["train.round"], OPS["train.sign"] = stepwise(np.ceil), stepwise(np.rint), stepwise(np.sign)


def remainder(f):
    def run(o, a, b):
        if running.isTruth(a):  # x - x / y * y
            return [running.truth(a.v & ~b.v, a, b)]
        if not a.isReal:
            v = np.where(b.v == 0, a.v, f(a.v, np.where(b.v == 0, 1, b.v))).astype(a.v.dtype)
            return [Val(v, 0 if a.e is None else np.where(a.e + b.e > 0, np.inf, 0))]
        v = f(a.v, b.v)
        quotient = lambda unsure: Val(-np.rint((a.v - v) / b.v), unsure)
        pull = lambda unsure: lambda g: [running.to_shape(g, a.shape), running.to_shape(mul(g, quotient(unsure)), b.shape)]
        if a.e is None:
            return [Val(v).of([a, b], pull(None))]
        # A quotient near a whole number may round to the next number, and a large quotient is rounded itself.
        q = np.abs(a.v / b.v)
        e = a.e + (q + 1) * b.e
        jumps = (np.abs(v) <= 2 * e) | (np.abs(v) + 2 * e >= np.abs(b.v)) | (q >= 2.0**28)
        exact = (a.e == 0) & (b.e == 0) & (q < 2.0**28)
        rest = Val.precision.unit * (np.abs(a.v) + np.abs(b.v))
        unsure = np.where(jumps & ~exact, np.inf, 0)
        return [Val(v, np.where(unsure > 0, unsure, e + rest)).of([a, b], pull(unsure))]
    return run


OPS["train.mod"], OPS["train.fmod"] = remainder(np.mod), remainder(np.fmod)


# ---- Activations ----
def kinked(x, right, left):
    return select(compare("gt", x, real(0.0)), right, left)


def expm1(x): return apply(np.expm1, x, times=2, slope=(np.exp, one))


def negative_part(x): return minimum(x, real(0.0))


@op("elu")
def _(o, x): return [kinked(x, x, mul(real(o["alpha"]), expm1(negative_part(x))))]


@op("celu")
def _(o, x):
    return [kinked(x, x, mul(real(o["alpha"]), expm1(div(negative_part(x), real(o["alpha"])))))]


@op("selu")
def _(o, x):
    scale, alpha = 1.0507009873554804934, 1.6732632423543772848
    return [kinked(x, mul(real(scale), x), mul(real(scale * alpha), expm1(negative_part(x))))]


@op("prelu")
def _(o, x, slope): return [kinked(x, x, mul(slope, x))]


def between(x, low, high): return minimum(maximum(x, real(low)), real(high))


@op("hardsigmoid")
def _(o, x):
    slope, offset = (real(default if o[name] is None else o[name]) for name, default in (("slope", 1 / 6), ("offset", 0.5)))
    return [between(add(mul(slope, x), offset), 0.0, 1.0)]


@op("hardswish")
def _(o, x): return [mul(x, between(add(div(x, real(6.0)), real(0.5)), 0.0, 1.0))]


# ---- Moves ----
@op("reverse")
def _(o, x): return [x.moved(lambda a: np.flip(a, tuple(o["dims"])))]


@op("roll")
def _(o, x): return [x.moved(lambda a: np.roll(a, int(o["shift"]) % a.shape[o["dim"]], o["dim"]))]


@op("tile")
def _(o, x): return [x.moved(lambda a: np.tile(a, o["times"]))]


@op("trilu")
def _(o, x):
    rows, columns = x.shape[-2:]
    ahead = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    k = o["diagonal"] or 0
    kept = ahead >= k if o["upper"] else ahead <= k
    return [x.moved(lambda a: np.where(kept, a, np.zeros((), a.dtype)))]


# ---- Reductions and scans ----
def multiplied(x, y):
    """Integers wrap around."""
    return mul(x, y) if x.isReal else Val(x.v * y.v, 0 if x.e is None else x.e + y.e)


def added(x, y): return add(x, y) if x.isReal else Val(x.v + y.v, 0 if x.e is None else x.e + y.e)


def scan(combine, neutral):
    def run(o, x):
        running.number(x)
        dim, n = o["dim"], x.shape[o["dim"]]
        order = range(n - 1, -1, -1) if o["reverse"] else range(n)
        part = lambda i: x.moved(lambda a: np.take(a, i, dim))
        first = part(0)
        sum = Val(np.full(first.shape, neutral, x.v.dtype))
        results = [None] * n
        for i in order:
            after = combine(sum, part(i))
            results[i], sum = (sum if o["exclusive"] else after), after
        # Another order of the same sums and products has errors of the same size.
        y = running.moved_all(lambda *arrays: np.stack(arrays, dim), *results)
        return [y if x.e is None else y.within(2 * y.e + slack(o, x, combine))]
    return run


def slack(o, x, combine):
    """In another order partial sums may be as large as that of all magnitudes."""
    if combine is not added or not x.isReal:
        return 0
    n = x.shape[o["dim"]]
    return n * Val.precision.unit * np.abs(x.v).sum(o["dim"], keepdims=True)


OPS["train.cumsum"], OPS["train.cumprod"] = scan(added, 0), scan(multiplied, 1)


@op("reduce_prod")
def _(o, x):
    running.number(x)
    rest = [i for i in range(x.ndim) if i not in o["dims"]]
    shape = o.result_types[0][0]
    flat = x.moved(lambda a: np.transpose(a, list(o["dims"]) + rest).reshape([-1] + list(shape)))
    product = flat.moved(lambda a: a[0])
    for i in range(1, flat.shape[0]):
        product = multiplied(product, flat.moved(lambda a, i=i: a[i]))
    return [product if product.e is None else product.within(2 * product.e)]


@op("reduce_l1")
def _(o, x): return [total(magnitude(x), o["dims"])]


def root(x): return apply(np.sqrt, x, slope=SLOPES["sqrt"])


@op("reduce_l2")
def _(o, x): return [root(total(mul(x, x), o["dims"]))]


@op("reduce_log_sum")
def _(o, x): return [log(total(x, o["dims"]))]


# ---- Losses ----
@op("huber")
def _(o, x, t):
    d, delta = magnitude(sub(x, t)), real(o["delta"])
    line = mul(delta, sub(d, mul(real(0.5), delta)))
    return [reduced(o, select(compare("gt", d, delta), line, mul(real(0.5), mul(d, d))))]


@op("kl_div")
def _(o, x, t):
    loss = mul(t, sub(log(t), x))
    return [reduced(o, select(compare("eq", t, real(0.0)), real(0.0), loss))]


@op("hinge")
def _(o, x, t): return [reduced(o, maximum(sub(real(1.0), mul(t, x)), real(0.0)))]


@op("poisson_nll")
def _(o, x, t): return [reduced(o, sub(exp(x), mul(t, x)))]


@op("focal")
def _(o, x, t):
    loss = add(sub(maximum(x, real(0.0)), mul(x, t)), log_beside(x))
    other, gamma, alpha = sub(real(1.0), t), o["gamma"], o["alpha"]
    if gamma:
        chance = lambda x: apply(sigmoid, x, times=2, slope=SLOPES["sigmoid"])
        wrong = add(mul(chance(neg(x)), t), mul(chance(x), other))
        wrong = maximum(wrong, real(1.2e-38))
        # As in pow: the error of the logarithm is multiplied by the logarithm's size.
        factor = apply(lambda v: np.power(v, gamma), wrong, times=4, slope=lambda v: gamma * np.power(v, gamma - 1))
        if factor.e is not None:
            factor = factor.within(factor.e + np.abs(factor.v) * (1 + gamma * np.abs(np.log(wrong.v))) * 4 * Val.precision.function)
        loss = mul(loss, factor)
    if alpha is not None:
        loss = mul(loss, add(mul(real(alpha), t), mul(real(1 - alpha), other)))
    return [reduced(o, loss)]


def length(x): return root(total(mul(x, x), last(x)))


@op("cosine_loss")
def _(o, x, t):
    lengths = maximum(mul(length(x), length(t)), real(o["eps"]))
    return [reduced(o, sub(real(1.0), div(total(mul(x, t), last(x)), lengths)))]


@op("triplet")
def _(o, anchor, positive, negative):
    distance = lambda x: length(add(sub(anchor, x), real(1e-6)))
    slack = sub(distance(positive), distance(negative))
    return [reduced(o, maximum(add(slack, real(o["margin"])), real(0.0)))]


def hits(target, classes):
    return Val((target.v[..., None] == np.arange(classes)).astype(np.float64),
               0 if target.e is None else np.broadcast_to(target.e[..., None], target.shape + (classes,)))


def without(rows, counted): return select(Val(counted), rows, real(0.0))


@op("nll")
def _(o, x, label):
    counted = np.ones(label.shape, bool) if o["ignore"] is None else label.v != o["ignore"]
    t = hits(label, x.shape[-1])
    picked = select(compare("gt", t, real(0.5)), x, real(0.0))
    return [reduced(o, without(neg(total(picked, last(x))), counted), counted)]


@op("weighted_cross_entropy")
def _(o, x, target, weight):
    classes, smoothing = x.shape[-1], o["smoothing"] or 0.0
    t = target if target.isReal else hits(target, classes)
    share = None if target.isReal else total(mul(t, weight), last(x))
    if smoothing:
        t = add(mul(t, real(1 - smoothing)), real(smoothing / classes))
    rows = neg(total(mul(mul(t, weight), log_softmax_of(x)), last(x)))
    if share is None:
        return [reduced(o, rows)]
    counted = np.ones(target.shape, bool) if o["ignore"] is None else target.v != o["ignore"]
    rows = without(rows, counted)
    if (o["reduction"] or "mean") != "mean":
        return [reduced(o, rows)]
    every, rows, share = range(rows.ndim), *(in_type(part, o.result_types[0][1]) for part in (rows, share))
    counts = total(without(share, counted), every)
    counts = select(compare("gt", counts, real(0.0)), counts, real(1.0))
    return [div(total(rows, every), counts)]


def normalized(x, dims, eps):
    n = real(float(np.prod([x.shape[d] for d in dims])))
    centred = sub(x, div(total(x, dims, keep=True), n))
    variance = div(total(mul(centred, centred), dims, keep=True), n)
    return mul(centred, rsqrt(add(variance, real(eps))))


@op("group_norm")
def _(o, x, gamma, beta):
    shape = x.shape
    apart = x.moved(lambda a: a.reshape(shape[0], -1, o["groups"], shape[-1] // o["groups"]))
    return [add(mul(normalized(apart, [1, 3], o["eps"]).moved(lambda a: a.reshape(shape)), gamma), beta)]


@op("instance_norm")
def _(o, x, gamma, beta): return [add(mul(normalized(x, list(range(1, x.ndim - 1)), o["eps"]), gamma), beta)]


@op("normalize")
def _(o, x):
    size = total(magnitude(x), [o["dim"]], keep=True) if o["p"] == 1 else root(total(mul(x, x), [o["dim"]], keep=True))
    return [div(x, maximum(size, real(o["eps"])))]


@op("weight_norm")
def _(o, x, g):
    others = [d for d in range(x.ndim) if d != o["dim"]]
    shape = [x.shape[d] if d == o["dim"] else 1 for d in range(x.ndim)]
    return [mul(x, div(g.moved(lambda a: a.reshape(shape)), root(total(mul(x, x), others, keep=True))))]


@op("spectral_norm")
def _(o, x, u):
    rows, shape, eps = o["dim"], x.shape, 1e-12 if o["eps"] is None else o["eps"]
    matrix = x.moved(lambda a: np.moveaxis(a, rows, 0).reshape(shape[rows], -1))
    column = lambda v: v.moved(lambda a: a.reshape(-1, 1))
    unit = lambda v: div(v, maximum(length(v), real(eps)))
    line = lambda u: unit(total(mul(matrix, column(u)), [0]))
    v = line(u)
    for _ in range(1 if o["iterations"] is None else o["iterations"]):
        v = line(u)
        u = unit(total(mul(matrix, v), [1]))
    # The vectors count as constants.
    v, last_u = (Val(each.v, 0 if each.e is None else each.e) for each in (v, u))
    return [div(x, total(mul(mul(matrix, v), column(last_u)), [0, 1])), last_u]


@op("lrn")
def _(o, x):
    size, channels = o["size"], x.shape[-1]
    low, squares = (size - 1) // 2, mul(x, x)
    padded = squares.moved(lambda a: np.pad(a, [(0, 0)] * (x.ndim - 1) + [(low, size - 1 - low)]))
    parts = [padded.moved(lambda a, i=i: a[..., i:i + channels]) for i in range(size)]
    base = add(mul(functools.reduce(add, parts), real(o["alpha"] / size)), real(o["bias"]))
    return [div(x, power(base, real(o["beta"])))]
