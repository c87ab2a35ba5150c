# Dimensions: numbers, or multiples of the batch plus a number.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.errors import NotAFormula


class Size:
    """times * batch + plus, with `hint` for its value in the model as it is written."""

    __slots__ = ("times", "plus", "batch")

    def __init__(self, times, plus, batch):
        self.times, self.plus, self.batch = times, plus, batch

    @property
    def hint(self):
        return self.times * self.batch + self.plus

    def _make(self, times, plus):
        return Size(times, plus, self.batch) if times else plus

    def __mul__(self, other):
        if isinstance(other, Size):
            raise NotAFormula(f"{self} * {other}")
        return self._make(self.times * other, self.plus * other)

    __rmul__ = __mul__

    def __add__(self, other):
        if isinstance(other, Size):
            return self._make(self.times + other.times, self.plus + other.plus)
        return self._make(self.times, self.plus + other)

    __radd__ = __add__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __floordiv__(self, other):
        if isinstance(other, Size):
            if other.times and self.times % other.times == 0 and other * (self.times // other.times) == self:
                return self.times // other.times
            raise NotAFormula(f"{self} / {other}")
        if self.times % other or self.plus % other:
            raise NotAFormula(f"{self} / {other}")
        return self._make(self.times // other, self.plus // other)

    def __eq__(self, other):
        return isinstance(other, Size) and (self.times, self.plus) == (other.times, other.plus)

    def __hash__(self):
        return hash((self.times, self.plus))

    def __str__(self):
        text = "batch" if self.times == 1 else f"{self.times} * batch"
        if self.plus:
            text += f" {'+' if self.plus > 0 else '-'} {abs(self.plus)}"
        return text

    __repr__ = __str__


def hint(size):
    return size.hint if isinstance(size, Size) else int(size)


def count(shape):
    """Number of elements."""
    product = 1
    for size in shape:
        product = product * size
    return product


def broadcast(*shapes):
    """The shape that NumPy's rules give."""
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape):
            at = rank - len(shape) + i
            if size != 1:
                if result[at] != 1 and result[at] != size:
                    raise NotAFormula(f"shapes {shapes}")
                result[at] = size
    return tuple(result)


def listed(sizes):
    return "[" + ", ".join(map(str, sizes)) + "]"
