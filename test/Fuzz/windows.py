# NumPy models of convolutions and pools of any rank, and of einsum.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import string

import numpy as np

import running
from ops import op
from running import Unknown, Val, div, largest, product, rounded, select, total


def places(counts, kernel, strides, padding, dilations):
    """Per dimension [windows, taps]: where in the operand a tap lies."""
    return [np.arange(n)[:, None] * s - low + np.arange(k)[None, :] * d
            for n, k, s, low, d in zip(counts, kernel, strides, padding[::2], dilations)]


def gathered(a, where, fill=0.0):
    """[N, ..., C] -> [N, windows..., C, taps...]; taps outside of the data are `fill`."""
    for dim, at in enumerate(where):
        axis, size = 1 + 2 * dim, a.shape[1 + 2 * dim]
        border = np.full(a.shape[:axis] + (1,) + a.shape[axis + 1:], fill, a.dtype)
        a = np.take(np.concatenate([a, border], axis), np.where((at >= 0) & (at < size), at, size), axis)
    rank = len(where)
    return a.transpose([0, *range(1, 2 * rank, 2), 2 * rank + 1, *range(2, 2 * rank + 1, 2)])


def scattered(a, where, shape):
    """The transpose of gathered(): a single sum by position, since a model has up to thousands of taps."""
    rank = len(where)
    padded = (a.shape[0], *(size + 1 for size in shape), a.shape[rank + 1])  # row `size` collects taps outside of the data
    axes = [np.arange(padded[0]), *(np.where((at >= 0) & (at < size), at, size) for at, size in zip(where, shape)), np.arange(padded[-1])]
    index = np.zeros((1,) * a.ndim, np.int64)
    for dim, positions in enumerate(axes):
        kept = [1] * a.ndim
        kept[dim] = a.shape[dim]
        if positions.ndim == 2:
            kept[rank + 1 + dim] = a.shape[rank + 1 + dim]
        index = index * padded[dim] + positions.reshape(kept)
    sums = np.bincount(index.reshape(-1), a.reshape(-1), int(np.prod(padded))).reshape(padded)
    return sums[(slice(None), *(slice(size) for size in shape))]


# ---- Convolutions ----
def attributes(o, rank):
    return o["strides"], o["padding"], o["dilations"] or [1] * rank, o["groups"] or 1


def flat(filter):
    """(O, K..., I) as [O, I, taps]"""
    return np.moveaxis(filter, -1, 1).reshape(filter.shape[0], filter.shape[-1], -1)


class Convolution:
    """Three sums of products with the same places: each is linear in two of image, filter and result."""

    def __init__(self, places, groups, image, filter):
        self.where, self.groups, self.rank, self.image, self.filter = places, groups, len(places), image, filter

    def split(self, a):
        return np.split(a, self.groups, self.rank + 1)

    def taps(self, image):
        w = gathered(image, self.where)
        return self.split(w.reshape(w.shape[:self.rank + 2] + (-1,)))

    def to_result(self, image, filter):
        return np.concatenate([np.einsum("...ik,oik->...o", x, flat(f))
                               for x, f in zip(self.taps(image), np.split(filter, self.groups, 0))], -1)

    def to_image(self, g, filter):
        parts = [np.einsum("...o,oik->...ik", x, flat(f)) for x, f in zip(self.split(g), np.split(filter, self.groups, 0))]
        grads = np.concatenate(parts, self.rank + 1)
        return scattered(grads.reshape(grads.shape[:self.rank + 2] + tuple(self.filter[1:-1])), self.where, self.image[1:-1])

    def to_filter(self, image, g):
        rows = lambda a, rank: a.reshape((-1,) + a.shape[a.ndim - rank:])
        parts = [np.einsum("nik,no->oik", rows(x, 2), rows(y, 1)) for x, y in zip(self.taps(image), self.split(g))]
        return np.moveaxis(np.concatenate(parts, 0), 1, -1).reshape(self.filter)


@op("conv1d", "conv3d")
def _(o, image, filter):
    strides, padding, dilations, groups = attributes(o, image.ndim - 2)
    where = places(o.result_types[0][0][1:-1], filter.shape[1:-1], strides, padding, dilations)
    c = Convolution(where, groups, image.shape, filter.shape)
    return [product(c.to_result, image, filter, int(np.prod(filter.shape[1:])), (c.to_image, c.to_filter))]


@op("conv_transpose")
def _(o, x, filter):
    strides, padding, dilations, groups = attributes(o, x.ndim - 2)
    where = places(x.shape[1:-1], filter.shape[1:-1], strides, padding, dilations)
    c = Convolution(where, groups, o.result_types[0][0], filter.shape)
    return [product(c.to_image, x, filter, int(np.prod(filter.shape[:-1])), (c.to_result, lambda x, h: c.to_filter(h, x)))]


# ---- Pools ----
def pooled(mode, x, where, counted):
    """`counted`: per dimension the number of elements in each mean."""
    rank = len(where)
    axes = tuple(range(rank + 2, 2 * rank + 2))
    if mode == 0:
        isInside = Val(gathered(np.ones(x.shape), where) > 0)
        return largest(select(isInside, x.moved(lambda a: gathered(a, where)), Val(-np.inf)), axes)
    y = total(x.moved(lambda a: gathered(np.asarray(a, np.float64), where)), axes)
    if mode == 1:
        number = 1.0
        for dim, n in enumerate(counted):
            number = number * np.maximum(n, 1).reshape([-1 if d == dim + 1 else 1 for d in range(rank + 2)])
        y = div(y, Val(np.asarray(number)))
    # Sums and means are means of whole windows, two dimensions at a time, and a factor per dimension.
    for _ in range(2 * rank):
        y = running.stored(y.within(rounded(y.v, 0 if y.e is None else y.e).e))
    return y


@op("pool")
def _(o, x):
    rank, shape = x.ndim - 2, x.shape[1:-1]
    padding = o["padding"]
    where = places(o.result_types[0][0][1:-1], o["window"], o["strides"], padding, o["dilations"] or [1] * rank)
    around = [(0, 0) if o["exclude_padding"] else (padding[2 * i], padding[2 * i + 1]) for i in range(rank)]
    counted = [((at >= -low) & (at < size + high)).sum(1) for at, size, (low, high) in zip(where, shape, around)]
    return [pooled(o["mode"], x, where, counted)]


@op("adaptive_pool")
def _(o, x):
    where, counted = [], []
    for m, n in zip(x.shape[1:-1], o["sizes"]):
        first = np.arange(n) * m // n
        counted.append(-(-(np.arange(n) + 1) * m // n) - first)
        at = first[:, None] + np.arange(counted[-1].max())[None, :]
        where.append(np.where(at < (first + counted[-1])[:, None], at, -1))
    return [pooled(o["mode"], x, where, counted)]


# ---- Sums of products ----
def sum_of_products(letters, *operands):
    left, right = letters.split("->")
    left = left.split(",")

    def pull(g):
        if "." in letters or any(len(set(part)) < len(part) for part in left):
            raise Unknown("the derivative of this einsum")
        cotangents = []
        for i, (part, x) in enumerate(zip(left, operands)):
            others = [other for at, other in enumerate(left) if at != i]
            known = "".join(letter for letter in part if letter in right + "".join(others))
            y = sum_of_products(",".join([right, *others]) + "->" + known, g, *(other for at, other in enumerate(operands) if at != i))
            ones = [n if letter in known else 1 for letter, n in zip(part, x.shape)]
            cotangents.append(y.moved(lambda a, ones=ones, shape=x.shape: np.broadcast_to(a.reshape(ones), shape)))
        return cotangents
    run = lambda arrays: np.einsum(letters, *arrays)
    v = run([x.v for x in operands])
    if operands[0].e is None:
        return Val(v).of(operands, pull)
    sizes = {}
    for part, x in zip(left, operands):
        named = part.replace("...", "")
        back = len(part.split("...")[-1])
        for at, letter in enumerate(named):
            sizes[letter] = x.shape[at if at < len(named) - back or "..." not in part else at - len(named)]
    p = Val.precision
    finite = all(np.isfinite(x.e).all() for x in operands)
    size = run([np.abs(x.v) for x in operands])
    wide = run([np.abs(x.v) + np.where(np.isfinite(x.e), x.e, 1e300) for x in operands])
    # Sums over the letters left out, and a product per operand, with possibly rounded factors and result.
    count = int(np.prod([n for letter, n in sizes.items() if letter in string.ascii_letters])) if sizes else 1
    steps = 2 * len(operands)
    e = (wide - size) + ((count + steps) * p.unit + 2.02 * steps * p.stored) * wide + (count + steps) * p.tiny
    return Val(v, e if finite else np.where(wide > 1e200, np.inf, e)).of(operands, pull)


@op("einsum")
def _(o, *operands):
    letters = o["equation"].replace(" ", "")
    if "->" not in letters:  # letters that are there once, in their order
        letters += "->" + "..." * ("." in letters) + "".join(sorted(x for x in set(letters) - set(",.") if letters.count(x) == 1))
    return [sum_of_products(letters, *operands)]
