# Primitives of JAX that work on elements, and reductions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

from ampc_export import composed
from ampc_export.errors import Unsupported
from ampc_export.lax import primitive

UNARY = {name: name for name in composed.FUNCTIONS} | {"logistic": "sigmoid", "erf_inv": "erfinv", "stop_gradient": "stop_gradient"}
PAIRS = {"add_any": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum", "pow": "pow", "rem": "fmod"}
REDUCTIONS = ("sum", "max", "min", "prod")
TRUTH = {"and": composed.both, "or": composed.either, "xor": composed.differ, "not": composed.negation}


def _register():
    for name, ours in UNARY.items():
        primitive(name)(lambda g, operands, params, shape, kind, ours=ours: g.unary(ours, operands[0]))
    for name, ours in PAIRS.items():
        primitive(name)(lambda g, operands, params, shape, kind, ours=ours: g.binary(ours, *operands))
    for name in composed.RELATIONS:
        primitive(name)(lambda g, operands, params, shape, kind, name=name: g.binary(f"compare {name}", *operands))
    for name in REDUCTIONS:
        primitive(f"reduce_{name}")(
            lambda g, operands, params, shape, kind, name=name: g.reduce(f"reduce_{name}", operands[0], params["axes"])
            if params["axes"] else operands[0])
    for name, function in TRUTH.items():
        primitive(name)(lambda g, operands, params, shape, kind, function=function: _truth(g, operands, kind, function))
    for name in ("argmax", "argmin"):
        primitive(name)(lambda g, operands, params, shape, kind, name=name: getattr(composed, name)(g, operands[0], params["axes"][0]))
    for name in ("cumsum", "cumprod"):
        primitive(name)(lambda g, operands, params, shape, kind, name=name: composed.scan(g, name, operands[0], params["axis"], params["reverse"]))


def _truth(g, operands, kind, function):
    if kind != "i1":
        raise Unsupported("bits of integers")
    return function(g, *operands)


_register()


@primitive("add")
def add(g, operands, params, shape, kind):
    """Of a product and a bias, as flax's Dense has it, one linear layer."""
    x, y = operands
    layer = (g.biased(x, y) or g.biased(y, x)) if kind == "f32" and x.shape == y.shape else None
    return layer or g.binary("add", x, y)


@primitive("copy", "copy_p", "optimization_barrier", "pvary")
def same(g, operands, params, shape, kind):
    return operands


@primitive("erfc")
def erfc(g, operands, params, shape, kind):
    return g.binary("sub", g.scalar(1.0), g.unary("erf", operands[0]))


@primitive("exp2")
def exp2(g, operands, params, shape, kind):
    return g.unary("exp", g.binary("mul", operands[0], g.scalar(math.log(2))))


@primitive("round")
def round_(g, operands, params, shape, kind):
    if int(params["rounding_method"]) != 1:
        raise Unsupported("halves that are rounded away from 0")
    return g.unary("round", operands[0])


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


@primitive("reduce_precision")
def reduce_precision(g, operands, params, shape, kind):
    """To 16 bits and back is --precision's to say."""
    return operands[0]


@primitive("select_n")
def select_n(g, operands, params, shape, kind):
    """The last operand where the first one is true."""
    condition, no, *yes = operands
    if len(yes) != 1:
        raise Unsupported("a choice between more than two")
    return g.select(g.cast(condition, "i1"), yes[0], no)


@primitive("clamp")
def clamp(g, operands, params, shape, kind):
    low, x, high = operands
    return g.binary("minimum", g.binary("maximum", x, low), high)


@primitive("is_finite")
def is_finite(g, operands, params, shape, kind):
    return g.binary("compare lt", g.unary("abs", operands[0]), g.scalar(math.inf))
