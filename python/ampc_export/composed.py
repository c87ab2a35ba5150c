# Functions that PyTorch and JAX share: by name, or composed of ops where the language has another form.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.sizes import listed

# Pointwise functions of a single operand with equal names in PyTorch, JAX and the language.
FUNCTIONS = ("exp", "log", "log1p", "expm1", "neg", "abs", "floor", "ceil", "sign", "sqrt", "rsqrt", "square", "sin", "cos", "tan", "asin", "acos",
             "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")
OF_INTEGERS = ("neg", "abs", "sign")  # have integers for integers
RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def both(g, *operands):
    """Of truth values."""
    return _truth(g, "minimum", *operands)


def either(g, *operands):
    return _truth(g, "maximum", *operands)


def differ(g, x, y):
    return g.binary("compare ne", *(g.cast(g.cast(v, "i1"), "i32") for v in (x, y)))


def _truth(g, ours, *operands):
    x, y = (g.cast(g.cast(v, "i1"), "i32") for v in operands)
    return g.cast(g.binary(ours, x, y), "i1")


def negation(g, x):
    return g.binary("compare eq", g.cast(g.cast(x, "i1"), "i32"), g.scalar(0, "i32"))


def argmax(g, x, dim):
    """Positions along `dim`, which is dropped."""
    moved = g.transpose(x, [i for i in range(x.rank) if i != dim] + [dim])
    return g.emit("train.argmax {0}", [moved], moved.shape[:-1], "i32")


def argmin(g, x, dim):
    return argmax(g, g.unary("neg", x), dim)


def scan(g, name, x, dim, reverse=False):
    """cumsum or cumprod."""
    return g.unary(name, x, f" along {dim % x.rank}{' reverse' * reverse}")


def reverse(g, x, dims):
    dims = [d for d in dims if x.shape[d] != 1]
    return g.unary("reverse", x, f" over {listed(dims)}") if dims else x


def elements_at(g, table, places):
    """One element per place from the last dimension of every row: a product with unit vectors. The table has 1 where rows repeat."""
    shape = (*places.shape, table.shape[-1])
    unit = g.emit(f"train.one_hot {{0}} to f32{listed(shape)}", [places], shape, "f32")
    return g.cast(g.reduce("reduce_sum", g.binary("mul", unit, g.cast(table, "f32")), [len(shape) - 1]), table.kind)
