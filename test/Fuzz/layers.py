# Norms, products of matrices, attention and random numbers in NumPy.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

import running
from ops import exp, last, op, rsqrt, size, softmax_of
from running import Val, add, div, mul, product, real, select, sub, total


# ---- Norms ----
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
    y, axes = add(mul(mul(sub(x, mean), scale), gamma), beta), tuple(range(x.ndim - 1))

    def pull(g):
        # Mean and scale are moments of x: their cotangents are part of that of x.
        normal = mul(sub(x, mean), scale)
        ofSum, ofProduct = total(g, axes), total(mul(g, normal), axes)
        inner = sub(sub(g, div(ofSum, count)), mul(normal, div(ofProduct, count)))
        return [mul(mul(gamma, scale), inner), None, None, ofProduct, ofSum, None]
    return [Val(y.v, y.e).of([x, mean, scale, gamma, beta, count], pull)]


def batch_norm(o, x, gamma, beta, state, training):
    """The result and the new running statistics."""
    if not training:
        mean, variance = state[o["running_mean"].lstrip("@")], state[o["running_variance"].lstrip("@")]
        return [add(mul(sub(x, mean), mul(rsqrt(add(variance, real(o["eps"]))), gamma)), beta)]
    axes = tuple(range(x.ndim - 1))
    n = real(size(x) / x.shape[-1])
    mean = div(total(x, axes), n)
    d = sub(x, mean)
    return [add(mul(mul(d, rsqrt(add(div(total(mul(d, d), axes), n), real(o["eps"])))), gamma), beta)]


def move_statistics(o, x, state, running):
    """Records new running means and variances: `running` has (value, number of updates) of each."""
    dim = -1 if o["dim"] is None else o["dim"]
    x = x.moved(lambda a: np.moveaxis(a, dim, -1))
    axes, count = tuple(range(x.ndim - 1)), size(x) // x.shape[-1]
    mean = div(total(x, axes), real(count))
    d = sub(x, mean)
    variance = div(total(mul(d, d), axes), real(count if o["population"] else max(count - 1, 1)))
    for name, moment in ((o["running_mean"], mean), (o["running_variance"], variance)):
        name = name.lstrip("@")
        old, share = state[name], real(o["momentum"])
        value = add(mul(sub(real(1.0), share), old), mul(share, moment))
        running[name] = value, running.get(name, (None, 0))[1] + 1


# ---- Contractions ----
def matmul_of(a, b):
    left = lambda g, b: summed(np.matmul(g, np.swapaxes(b, -1, -2)), a.shape)
    right = lambda a, g: summed(np.matmul(np.swapaxes(a, -1, -2), g), b.shape)
    return product(np.matmul, a, b, a.shape[-1], (left, right))


def summed(v, shape):
    """Over the leading dimensions along which an operand of this shape was the same."""
    front = v.ndim - len(shape)
    axes = tuple(d for d in range(v.ndim) if d < front or (shape[d - front] == 1 and v.shape[d] != 1))
    return v.sum(axis=axes).reshape(shape)


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
        s = select(Val(np.broadcast_to(hidden, s.shape)), Val(-np.inf), s)
    return s, factor


@op("attention")
def _(o, q, k, v, bias=None):
    s, _ = scores_of(o, q, k, bias)
    p = softmax_of(s)
    p = select(Val(np.isnan(p.v)), Val(np.zeros(p.shape), 0 if p.e is None else p.e), p) if bias is not None else p
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


# ---- Random numbers: only the range is known ----
def between(low, high, shape):
    p = Val.precision
    # An end that is an attribute is rounded to the type: 1e-5 is 9.99999975e-06 in f32.
    return Val(np.full(shape, (low + high) / 2), 0 if p is None else (high - low) / 2 + p.unit * max(abs(low), abs(high)) + p.tiny)


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


def dropout(o, x, training, knob=None):
    """`knob`: the value of the knob that is the rate."""
    rate = o["rate"] if knob is None else float(knob.v) + (0.0 if knob.e is None else float(knob.e))
    if not training or not rate:
        return [x]
    scale = 1 / (1 - rate)
    return [mul(x, between(0.0, scale, x.shape))]
