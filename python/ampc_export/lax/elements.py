# Primitives of JAX that work on elements, and reductions. A function takes the graph, values, parameters and the result's shape and kind.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

from ampc_export.lax import primitive

UNARY = {"exp": "exp", "log": "log", "log1p": "log1p", "neg": "neg", "abs": "abs", "floor": "floor", "sqrt": "sqrt",
         "rsqrt": "rsqrt", "sin": "sin", "cos": "cos", "tanh": "tanh", "logistic": "sigmoid", "erf": "erf", "square": "square",
         "stop_gradient": "stop_gradient"}
PAIRS = {"add": "add", "add_any": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum", "pow": "pow"}


def _register():
    for name, ours in UNARY.items():
        primitive(name)(lambda g, operands, params, shape, kind, ours=ours: g.unary(ours, operands[0]))
    for name, ours in PAIRS.items():
        primitive(name)(lambda g, operands, params, shape, kind, ours=ours: g.binary(ours, *operands))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        primitive(name)(lambda g, operands, params, shape, kind, name=name: g.binary(f"compare {name}", *operands))
    for name in ("sum", "max", "min"):
        primitive(f"reduce_{name}")(
            lambda g, operands, params, shape, kind, name=name: g.reduce(f"reduce_{name}", operands[0], params["axes"])
            if params["axes"] else operands[0])


_register()


@primitive("copy", "copy_p", "optimization_barrier")
def same(g, operands, params, shape, kind):
    return operands[0]


@primitive("expm1")
def expm1(g, operands, params, shape, kind):
    return g.binary("sub", g.unary("exp", operands[0]), g.scalar(1.0))


@primitive("erfc")
def erfc(g, operands, params, shape, kind):
    return g.binary("sub", g.scalar(1.0), g.unary("erf", operands[0]))


@primitive("log_softmax")
def log_softmax(g, operands, params, shape, kind):
    return g.along_last(operands[0], params["axis"], lambda x: g.unary("log_softmax", x))


@primitive("integer_pow")
def integer_pow(g, operands, params, shape, kind):
    exponent, x = params["y"], operands[0]
    if exponent == 2:
        return g.unary("square", x)
    if exponent == -1:
        return g.unary("reciprocal", x)
    return g.binary("pow", x, g.scalar(float(exponent)))


@primitive("convert_element_type")
def convert(g, operands, params, shape, kind):
    return g.cast(operands[0], kind)


@primitive("select_n")
def select_n(g, operands, params, shape, kind):
    """The last operand where the first one is true."""
    condition, no, yes = operands
    return g.select(g.cast(condition, "i1"), yes, no)


@primitive("clamp")
def clamp(g, operands, params, shape, kind):
    low, x, high = operands
    return g.binary("minimum", g.binary("maximum", x, low), high)


def _truth(g, value):
    return g.cast(value, "i32")


@primitive("and")
def both(g, operands, params, shape, kind):
    return g.cast(g.binary("minimum", *(_truth(g, x) for x in operands)), "i1")


@primitive("or")
def either(g, operands, params, shape, kind):
    return g.cast(g.binary("maximum", *(_truth(g, x) for x in operands)), "i1")


@primitive("not")
def negation(g, operands, params, shape, kind):
    return g.binary("compare eq", _truth(g, operands[0]), g.scalar(0, "i32"))


@primitive("is_finite")
def is_finite(g, operands, params, shape, kind):
    return g.binary("compare lt", g.unary("abs", operands[0]), g.scalar(math.inf))


@primitive("argmax")
def argmax(g, operands, params, shape, kind):
    x, axis = operands[0], params["axes"][0]
    moved = g.transpose(x, [i for i in range(x.rank) if i != axis] + [axis])
    return g.emit("train.argmax {0}", [moved], moved.shape[:-1], "i32")
