# NumPy models of ops on images.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools

import numpy as np

from ops import op
from running import Val, div, largest, mul, product, real, select, total


def windows(a, kernel, strides, padding, dilations, fill=0.0):
    """[N, OH, OW, C, KH, KW]"""
    top, bottom, left, right = padding
    a = np.pad(a, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(a, reach, (1, 2))
    return view[:, ::strides[0], ::strides[1], :, ::dilations[0], ::dilations[1]]


def convolve(o):
    strides, padding, groups = o["strides"], o["padding"], o["groups"] or 1
    dilations = o["dilations"] or [1, 1]

    def run(image, filter):
        w = windows(image, filter.shape[1:3], strides, padding, dilations)
        parts = [np.einsum("nhwckl,oklc->nhwo", x, f) for x, f in zip(np.split(w, groups, 3), np.split(filter, groups, 0))]
        return np.concatenate(parts, 3)
    return run


def scatter_windows(grads, shape, kernel, strides, padding, dilations):
    """The transpose of windows(): grads is [N, OH, OW, C, KH, KW]."""
    top, bottom, left, right = padding
    n, h, w, c = shape
    result = np.zeros((n, h + top + bottom, w + left + right, c))
    oh, ow = grads.shape[1:3]
    for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
        y, x = i * dilations[0], j * dilations[1]
        result[:, y:y + (oh - 1) * strides[0] + 1:strides[0], x:x + (ow - 1) * strides[1] + 1:strides[1], :] += grads[..., i, j]
    return result[:, top:top + h, left:left + w, :]


def to_image(o, shape):
    """The transpose of a convolution: (g, filter) to an image of this shape."""
    groups, dilations = o["groups"] or 1, o["dilations"] or [1, 1]

    def run(g, f):
        parts = [np.einsum("nhwo,oklc->nhwckl", x, y) for x, y in zip(np.split(g, groups, 3), np.split(f, groups, 0))]
        return scatter_windows(np.concatenate(parts, 3), shape, f.shape[1:3], o["strides"], o["padding"], dilations)
    return run


def to_filter(o, shape):
    """(image, g) to a filter of this shape."""
    groups, dilations = o["groups"] or 1, o["dilations"] or [1, 1]

    def run(x, g):
        w = windows(x, shape[1:3], o["strides"], o["padding"], dilations)
        parts = [np.einsum("nhwckl,nhwo->oklc", a, b) for a, b in zip(np.split(w, groups, 3), np.split(g, groups, 3))]
        return np.concatenate(parts, 0)
    return run


@op("conv2d")
def _(o, image, filter):
    return [product(convolve(o), image, filter, int(np.prod(filter.shape[1:])), (to_image(o, image.shape), to_filter(o, filter.shape)))]


@op("conv2d_grad_input")
def _(o, g, filter):
    ofFilter = to_filter(o, filter.shape)
    return [product(to_image(o, o.result_types[0][0]), g, filter, int(np.prod(filter.shape[:3])), (convolve(o), lambda g, h: ofFilter(h, g)))]


@op("conv2d_grad_filter")
def _(o, image, g):
    ofImage = to_image(o, image.shape)
    return [product(to_filter(o, o.result_types[0][0]), image, g, int(np.prod(g.shape[:3])), (lambda h, g: ofImage(g, h), convolve(o)))]


@op("max_pool")
def _(o, x):
    def of(fill):
        return lambda a: windows(a, o["window"], o["strides"], o["padding"], [1, 1], fill)
    w = of(-np.inf)(x.v)
    flat = w.reshape(w.shape[:4] + (-1,))
    where = np.argmax(flat, -1).astype(np.int8)
    isInside = Val((of(0.0)(np.ones(x.shape)) > 0).reshape(flat.shape))
    taps = select(isInside, x.moved(lambda a: of(0.0)(np.asarray(a, np.float64)).reshape(flat.shape)), Val(-np.inf))
    e = taps.e
    best = np.take_along_axis(flat - e, where[..., None].astype(np.int64), -1)
    others = flat + e >= best
    np.put_along_axis(others, where[..., None].astype(np.int64), False, -1)
    unsure = others.any(-1) & (e.max(-1) > 0)
    return [largest(taps, (4,)), Val(where, np.where(unsure, np.inf, 0))]


@op("avg_pool")
def _(o, x):
    w = x.moved(lambda a: windows(np.asarray(a, np.float64), o["window"], o["strides"], o["padding"], [1, 1]))
    return [div(total(w, (4, 5)), real(o["window"][0] * o["window"][1]))]


@op("max_pool_grad")
def _(o, g, where):
    shape, (kh, kw) = o.result_types[0][0], o["window"]

    def run(a):
        chosen = (where.v[..., None] == np.arange(kh * kw)).reshape(where.shape + (kh, kw))
        return scatter_windows(a[..., None, None] * chosen, shape, (kh, kw), o["strides"], o["padding"], [1, 1])
    def pull(h):
        taps = h.moved(lambda a: windows(np.asarray(a, np.float64), o["window"], o["strides"], o["padding"], [1, 1]))
        chosen = (where.v[..., None] == np.arange(kh * kw)).reshape(where.shape + (kh, kw))
        return [total(mul(taps, Val(1.0 * chosen)), (4, 5))]
    v = run(g.v)
    outside = ((where.v < 0) | (where.v >= kh * kw)).any() or (where.e > 0).any()
    # A place in the padding is no place.
    p = Val.precision
    return [Val(v, np.inf if outside else run(np.nan_to_num(g.e, posinf=1e300)) + kh * kw * p.unit * run(np.abs(g.v))).of([g], pull)]


@op("avg_pool_grad")
def _(o, g):
    shape, (kh, kw) = o.result_types[0][0], o["window"]

    def run(a):
        return scatter_windows(np.broadcast_to(a[..., None, None] / (kh * kw), a.shape + (kh, kw)), shape, (kh, kw), o["strides"],
                               o["padding"], [1, 1])
    def pull(h):
        taps = h.moved(lambda a: windows(np.asarray(a, np.float64), (kh, kw), o["strides"], o["padding"], [1, 1]))
        return [div(total(taps, (4, 5)), real(kh * kw))]
    e = run(np.nan_to_num(g.e, posinf=1e300)) + (kh * kw + 2) * Val.precision.unit * run(np.abs(g.v))
    return [Val(run(g.v), e).of([g], pull)]


def resize_place(o, at, scale, old, new):
    """Where element `at` of `new` lies in a dimension of `old` elements."""
    half = (at + 0.5) / scale - 0.5
    if o["coordinates"] == 1:
        return at / scale
    if o["coordinates"] == 2:
        return at * (old - 1) / (scale * old - 1) if at else 0.0
    if o["coordinates"] == 3:
        return 0.0 if new == 1 else half
    return half + (old / 2 * (1 - new / (scale * old)) if o["coordinates"] == 4 else 0.0)


def cubic(x, a):
    """Keys 1981."""
    x = abs(x)
    inner, outer = (a + 2) * x**3 - (a + 3) * x**2 + 1, a * (x**3 - 5 * x**2 + 8 * x - 4)
    return inner if x < 1 else outer if x < 2 else 0.0


def resize_shares(o, places, scale, old):
    """[new, old]: weight of every old element. The weights of elements outside go to the last element, or are left out."""
    slope = -0.75 if o["coefficient"] is None else o["coefficient"]
    kernel = (lambda x: cubic(x, slope)) if o["mode"] == 2 else (lambda x: max(0.0, 1 - abs(x)))
    narrow = min(1.0, scale) if o["antialias"] else 1.0
    reach = int(np.ceil(2 / narrow)) + 1
    # Positions and weights are computed in f64; the bound covers the rounding of the terms, times the kernel's slope at the position.
    term = 2.0**-53 * (100 * (abs(slope) + 3) if o["mode"] == 2 else 8)
    result, bounds = np.zeros((len(places), old)), np.zeros((len(places), old))
    for row, bound, place in zip(result, bounds, places):
        for at in range(int(np.floor(place)) - reach, int(np.floor(place)) + reach + 1):
            if not o["exclude_outside"] or 0 <= at < old:
                row[min(max(at, 0), old - 1)] += kernel((place - at) * narrow)
                bound[min(max(at, 0), old - 1)] += term * (1 + abs(place))
        if o["exclude_outside"] or o["antialias"]:
            all = row.sum()
            row /= all
            bound[:] = (bound + np.abs(row) * bound.sum()) / abs(all)
    return Val(result, 0 if Val.precision is None else bounds + Val.precision.unit * (np.abs(result) + bounds))


NEAREST = (lambda x: np.ceil(x - 0.5), lambda x: np.floor(x + 0.5), np.floor, np.ceil)


@op("resize")
def _(o, x):
    for dim, new in enumerate(o["sizes"]):
        old = x.shape[dim]
        scale = o["scales"][dim] if o["scales"] else new / old
        if old == new and scale == 1:
            continue
        places = [resize_place(o, at, scale, old, new) for at in range(new)]
        if o["mode"] == 0:
            index = np.clip([NEAREST[o["rounding"] or 0](place) for place in places], 0, old - 1).astype(int)
            x = x.moved(lambda a, index=index, dim=dim: np.take(a, index, dim))
            continue
        lines = lambda a, dim: np.moveaxis(a, dim, 0).reshape(a.shape[dim], -1)
        pulls = (lambda g, a, dim=dim: lines(g, dim) @ lines(a, dim).T, lambda s, g, dim=dim: np.moveaxis(np.tensordot(s, g, (0, dim)), 0, dim))
        x = product(lambda s, a, dim=dim: np.moveaxis(np.tensordot(s, a, (1, dim)), 0, dim), resize_shares(o, places, scale, old), x, old, pulls)
    return [x]
