# Numbers with an error bound: a value in double precision, and the largest deviation of a computation in a given precision.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Running error analysis (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 3): every operation propagates the operands'
# bounds and adds a rounding of the result. No bound is fitted to the compiler's results.
import numpy as np

np.seterr(all="ignore")


class Unknown(Exception):
    """Raised for an op without a form in numpy."""


class Precision:
    """Units of rounding: of a sum or product, of a function such as exp, of a value stored between ops. Computed values beyond `range`
    overflow, stored values beyond `largest`."""

    def __init__(self, name, unit, function, stored=0.0, tiny=0.0, largest=np.inf, range=3.3e38):
        self.name, self.unit, self.function, self.stored, self.tiny, self.largest = name, unit, function, stored, tiny, largest
        self.range = range


# Function errors in units: the compiler's polynomials promise 4 units in the last place, libm 1. Values below `tiny` may be flushed to 0.
PRECISIONS = {
    "f64": Precision("f64", 2.0**-52, 2.0**-51, tiny=2.0**-1000, range=np.inf),  # NumPy rounds, too: half a unit each
    "f32": Precision("f32", 2.0**-24, 2.0**-21, tiny=2.0**-125),
    "bf16": Precision("bf16", 2.0**-24, 2.0**-21, 2.0**-8, 2.0**-125, 3.3e38),
    "f16": Precision("f16", 2.0**-24, 2.0**-21, 2.0**-11, 2.0**-24, 65504.0),
}


def merged(all):
    """The weakest bounds of several precisions, for a model that mixes precisions."""
    return Precision(" and ".join(p.name for p in all), max(p.unit for p in all), max(p.function for p in all), max(p.stored for p in all),
                     max(p.tiny for p in all), min(p.largest for p in all), min(p.range for p in all))


class Val:
    """v: the value; e: the bound, inf without a promise. With precision None no bounds are computed. `decisions` gets the results of
    comparisons: where two points differ, a kink or a jump lies between the points."""
    precision = None
    decisions = None
    isRecorded = False
    __slots__ = ("v", "e", "cause")

    def __init__(self, v, e=0.0):
        self.v, self.cause, self.e = np.asarray(v), None, None
        if Val.precision is not None:
            e = np.asarray(e, np.float64)
            unknown = np.isnan(e)
            e = np.where(unknown, np.inf, e) if unknown.any() else e
            self.e = e if e.shape == self.v.shape else np.broadcast_to(e, self.v.shape)

    shape = property(lambda self: self.v.shape)
    ndim = property(lambda self: self.v.ndim)
    isReal = property(lambda self: self.v.dtype.kind == "f")

    def moved(self, f):
        """The same elements in other positions, with zeros between."""
        return moved_all(f, self)

    def of(self, parents, pull):
        """Records the parents of the value; `pull` maps the cotangent of the value to cotangents (or None) of the parents."""
        if Val.isRecorded:
            self.cause = parents, pull
        return self

    def within(self, e):
        """The same value with another bound."""
        return Val(self.v, e).of([self], lambda g: [g])


def moved_all(f, *operands):
    """Elements of several tensors in other positions, with unchanged values."""
    def pull(g):
        ends = np.cumsum([0] + [x.v.size for x in operands])
        # Elements are numbered from 1; an inserted element has number 0.
        numbers = f(*[np.arange(first + 1, first + x.v.size + 1).reshape(x.shape) for first, x in zip(ends, operands)])
        numbers = np.asarray(numbers).astype(np.int64).reshape(-1)
        sums = lambda a: np.bincount(numbers, np.broadcast_to(a, g.shape).reshape(-1), ends[-1] + 1)[1:]
        v, p = sums(g.v), Val.precision
        e = 0 if p is None else sums(g.e) + np.maximum(sums(1.0) - 1, 0) * (p.unit * (sums(np.abs(g.v)) + sums(g.e)) + p.tiny)
        parts = [slice(first, first + x.v.size) for first, x in zip(ends, operands)]
        return [Val(v[part].reshape(x.shape), e[part].reshape(x.shape) if p else 0) for part, x in zip(parts, operands)]
    return Val(f(*[x.v for x in operands]), 0.0 if operands[0].e is None else f(*[x.e for x in operands])).of(operands, pull)


def to_shape(g, shape):
    """The cotangent of an operand that was broadcast from `shape`."""
    if g.shape == shape:
        return g
    front = g.ndim - len(shape)
    axes = [d for d in range(g.ndim) if d < front or (shape[d - front] == 1 and g.shape[d] != 1)]
    return total(g, axes, keep=True).moved(lambda a: a.reshape(shape))


def pull_back(value, sources):
    """Derivatives of a scalar with respect to `sources`: reverse mode over the recorded parents."""
    order, seen, stack = [], set(), [(value, False)]
    while stack:
        x, isDone = stack.pop()
        if isDone:
            order.append(x)
        elif id(x) not in seen:
            seen.add(id(x))
            stack.append((x, True))
            stack += [(parent, False) for parent in (x.cause[0] if x.cause else ())]
    # Only values that depend on a source, and only ops between: a source may come from an op without a derivative.
    active, between = {id(x) for x in sources}, set()
    for x in order:
        if x.cause and any(id(parent) in active for parent in x.cause[0]):
            active.add(id(x))
            between.add(id(x))
    outer, Val.isRecorded = Val.isRecorded, False
    cotangents = {id(value): Val(np.ones(()))}
    try:
        for x in reversed(order):
            if id(x) not in between or id(x) not in cotangents:
                continue
            for parent, g in zip(x.cause[0], x.cause[1](cotangents[id(x)])):
                if g is not None and id(parent) in active:
                    known = cotangents.get(id(parent))
                    cotangents[id(parent)] = add(known, g) if known else g
    finally:
        Val.isRecorded = outer
    return [cotangents.get(id(x)) or Val(np.zeros(x.shape)) for x in sources]


def rounded(v, e, unit=None, times=1.0):
    p = Val.precision
    if p is None:
        return Val(v)
    unit = p.unit if unit is None else unit
    e = e + times * unit * (np.abs(v) + e) + p.tiny
    return Val(v, np.where(np.isfinite(v) & (np.abs(v) + e >= p.range), np.inf, e))


def stored(x):
    """A value stored between two ops, perhaps in 16 bits."""
    p = Val.precision
    if p is None or not p.stored or not x.isReal:
        return x
    e = x.e + p.stored * (np.abs(x.v) + x.e) + p.tiny
    return x.within(np.where(np.abs(x.v) + e < p.largest, e, np.inf))


def inside(element):
    """The precision of an op on 16-bit types in a model of any precision: the op computes in f32."""
    p = Val.precision
    return p if p is None or element not in ("f16", "bf16") else Precision(
        p.name, *(max(getattr(p, name), getattr(PRECISIONS["f32"], name)) for name in ("unit", "function")), p.stored,
        max(p.tiny, PRECISIONS["f32"].tiny), p.largest, min(p.range, PRECISIONS["f32"].range))


def unrounded(p):
    """The precision of an op whose operands and result no policy rounds."""
    return p if p is None else Precision(p.name, p.unit, p.function, tiny=p.tiny, range=p.range)


def in_type(x, element):
    """A value between two parts of an op, in the type of the op: f16 and bf16 round."""
    if x.e is None or element not in ("f16", "bf16"):
        return x
    p = PRECISIONS[element]
    return x.within(np.where(np.abs(x.v) + x.e < p.largest, x.e + p.stored * (np.abs(x.v) + x.e) + p.tiny, np.inf))


def decided(v):
    if Val.decisions is not None:
        Val.decisions.append(v)
    return v


def isTruth(x):
    return x.v.dtype == np.bool_


def number(x):
    """An operand of arithmetic; truth values raise Unknown."""
    if isTruth(x):
        raise Unknown("arithmetic of i1")
    return x


def truth(v, *operands):
    """A truth value: any error bound of an operand makes the bound of the result infinite."""
    return Val(v, 0 if Val.precision is None else np.where(sum(x.e for x in operands) > 0, np.inf, 0))


def add(a, b):
    if isTruth(a):  # modulo 2
        return truth(a.v ^ b.v, a, b)
    y = rounded(a.v + b.v, 0 if a.e is None else a.e + b.e)
    if y.e is not None:
        # A number beside which the other is less than a rounding, here and there: the sum is that number.
        for large, small in ((a, b), (b, a)):
            alone = (y.v == large.v) & (large.e == 0) & np.isfinite(large.v) & (np.abs(small.v) + small.e < 2.0**-54 * np.abs(large.v))
            if alone.any():
                y = y.within(np.where(alone, 0, y.e))
                # The gradient goes through the sum, a difference does not see the number that is lost.
                decided(small.v)
    return y.of([a, b], lambda g: [to_shape(g, a.shape), to_shape(g, b.shape)])


def neg(a):
    if isTruth(a):
        return a
    return Val(-a.v, 0 if a.e is None else a.e).of([a], lambda g: [neg(g)])


def sub(a, b):
    return add(a, neg(b))


def mul(a, b):
    if isTruth(a):
        return truth(a.v & b.v, a, b)
    e = 0
    if a.e is not None:
        parts = np.abs(a.v) * b.e, np.abs(b.v) * a.e, a.e * b.e
        e = parts[0] + parts[1] + parts[2]
        if not np.isfinite(e).all():  # an exact 0 stays 0, whatever the bound of the other factor
            e = sum(np.nan_to_num(part, nan=0.0) for part in parts)
    return rounded(a.v * b.v, e).of([a, b], lambda g: [to_shape(mul(g, b), a.shape), to_shape(mul(g, a), b.shape)])


def div(a, b):
    q, e = a.v / b.v, 0
    if a.e is not None:
        room = np.abs(b.v) - b.e
        e = np.where(room > 0, (a.e + np.abs(q) * b.e) / np.where(room > 0, room, 1), np.inf)
    y = rounded(q, e)

    def pull(g):
        first = div(g, b)
        return [to_shape(first, a.shape), to_shape(neg(mul(first, Val(y.v, 0 if y.e is None else y.e))), b.shape)]
    return y.of([a, b], pull)


def real(x):
    """A number of the model. Ops that compute in f32 round the number to f32; the reference gives attributes as f64."""
    x, p = np.float64(x), Val.precision
    return Val(x, 0 if p is None or p.unit < 2.0**-24 else np.abs(np.float64(np.float32(x)) - x))


def apply(f, x, unit=None, times=1.0, slope=None):
    """Applies a continuous function of a number: the error is the largest change over the interval, sampled at nine points. `slope`: the
    derivative or, where the derivative is a sum of larger terms, (derivative, size of the terms)."""
    def pull(g):
        if slope is None:
            raise Unknown("the derivative of a function")
        derivative, size = slope if isinstance(slope, tuple) else (slope, np.abs)
        y = apply(derivative, x, times=times + 4)
        return [mul(g, y if y.e is None else y.within(y.e + (times + 4) * Val.precision.function * size(x.v)))]
    v = f(x.v)
    if x.e is None:
        return Val(v).of([x], pull)
    unit = Val.precision.function if unit is None else unit
    wide = np.where(np.isfinite(x.e), x.e, 0)
    change = np.zeros(np.shape(v))
    for part in (-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1):
        change = np.maximum(change, np.abs(f(x.v + part * wide) - v))  # NaN: outside of the domain
    change = np.where(np.isfinite(x.e), change, np.inf)
    return rounded(v, np.where(np.isnan(v), 0, np.where(np.isnan(change), np.inf, 1.25 * change)), unit, times).of([x], pull)


def uncertain(a, b):
    """Where a comparison of a and b may come out differently."""
    if a.e is None:
        return np.False_
    if isTruth(a):
        return a.e + b.e > 0
    return (np.abs(a.v - b.v) <= a.e + b.e) & (a.e + b.e > 0)


def compare(predicate, a, b):
    f = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}[predicate]
    v = decided(f(a.v, b.v))
    return Val(v, np.where(np.broadcast_to(uncertain(a, b), v.shape), np.inf, 0.0))


def select(c, a, b):
    def pull(g):
        zero = Val(np.zeros(()))
        return [to_shape(select(c, g, zero), a.shape), to_shape(select(c, zero, g), b.shape)]
    v = np.where(c.v, a.v, b.v)
    if a.e is None:
        return Val(v).of([a, b], pull)
    sure = np.where(c.v, a.e, b.e)
    apart = np.where(a.v == b.v, 0.0, np.inf) if isTruth(a) else np.abs(a.v - b.v)
    return Val(v, np.where(c.e > 0, apart + np.maximum(a.e, b.e), sure)).of([a, b], pull)


def maximum(a, b):
    if isTruth(a):
        return truth(a.v | b.v, a, b)
    decided(a.v > b.v)

    def pull(g):
        # Values that may be equal share the cotangent in an unknown ratio.
        share, other = ((x.v > y.v) + 0.5 * (x.v == y.v) for x, y in ((a, b), (b, a)))
        unsure = 0 if a.e is None else 1.0 * (np.abs(a.v - b.v) <= a.e + b.e)
        return [to_shape(mul(g, Val(part, unsure)), x.shape) for part, x in ((share, a), (other, b))]
    return Val(np.maximum(a.v, b.v), 0 if a.e is None else np.maximum(a.e, b.e)).of([a, b], pull)


def minimum(a, b):
    if isTruth(a):
        return truth(a.v & b.v, a, b)
    return neg(maximum(neg(a), neg(b)))


def spread(g, shape, axes):
    """The cotangent `g` of a reduction over `axes`, broadcast to the `shape` of the operand."""
    kept = tuple(1 if d in axes else n for d, n in enumerate(shape))
    return g.moved(lambda a: np.broadcast_to(a.reshape(kept), shape))


def total(x, axes, keep=False):
    """A sum in any order."""
    axes = tuple(axes)
    count = int(np.prod([x.shape[i] for i in axes], dtype=np.int64)) if axes else 1
    v = x.v.sum(axis=axes, keepdims=keep)
    pull = lambda g: [spread(g, x.shape, axes)]
    if x.e is None or not x.isReal:
        return Val(v).of([x], pull)
    e, size = x.e.sum(axis=axes, keepdims=keep), np.abs(x.v).sum(axis=axes, keepdims=keep)
    return Val(v, e + count * Val.precision.unit * (size + e) + count * Val.precision.tiny).of([x], pull)


def magnitude(x):
    if isTruth(x):
        return x
    decided(np.sign(number(x).v))
    # At 0 the slope is not known.
    slope = Val(np.sign(x.v), 0 if x.e is None else 2.0 * (np.abs(x.v) <= x.e))
    return Val(np.abs(x.v), 0 if x.e is None else x.e).of([x], lambda g: [mul(g, slope)])


def largest(x, axes, keep=False):
    number(x)
    axes, top = tuple(axes), x.v.max(axis=tuple(axes), keepdims=True)
    decided(x.v == top)

    def pull(g):
        bound = 0 if x.e is None else x.e
        may = x.v + bound >= (x.v - bound).max(axis=axes, keepdims=True)
        count = may.sum(axis=axes, keepdims=True)
        return [mul(spread(g, x.shape, axes), Val(may / np.maximum(count, 1), may & (count > 1)))]
    return Val(x.v.max(axis=axes, keepdims=keep), 0 if x.e is None else x.e.max(axis=axes, keepdims=keep)).of([x], pull)


def product(f, a, b, count, pulls=None):
    """Sums of `count` products: f is linear in both operands. `pulls`: the transposes of f, functions of (g, b) and (a, g)."""
    def pull(g):
        if pulls is None:
            raise Unknown("the derivative of a product")
        # As many products as the cotangent has for each element of an operand.
        size = lambda x: count * max(1, -(-v.size // max(1, x.v.size)))
        return [product(pulls[0], g, b, size(a)), product(pulls[1], a, g, size(b))]
    v = f(a.v, b.v)
    if a.e is None:
        return Val(v).of([a, b], pull)
    A, B = np.abs(a.v), np.abs(b.v)
    finite = np.isfinite(a.e).all() and np.isfinite(b.e).all()
    ea, eb = np.where(np.isfinite(a.e), a.e, 1e300), np.where(np.isfinite(b.e), b.e, 1e300)
    e = f(A, eb) + f(ea, B) + f(ea, eb)
    if not finite:
        e = np.where(e > 1e200, np.inf, e)
    p = Val.precision
    # 16-bit operands are rounded once more on their way into the product.
    return Val(v, e + ((count + 2) * p.unit + 2.02 * p.stored) * (f(A, B) + e) + (count + 1) * p.tiny).of([a, b], pull)
