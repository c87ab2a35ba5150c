# Ops of ATen that work on elements.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import torch

from ampc_export import composed
from ampc_export.aten import op
from ampc_export.aten.converter import Converter, Held, Unsupported, last_order

ACTIVATIONS = ("relu", "sigmoid", "silu", "mish", "selu", "hardswish", "hardsigmoid", "reciprocal", "erfinv")
SAME = ("clone", "contiguous", "alias", "detach_copy", "lift_fresh_copy", "lift_fresh", "positive", "_assert_tensor_metadata_copy")


def elementwise(c: Converter, make, kind="f32"):
    """make(x), in the layout that the operand has."""
    name = c.names[0]
    image = c.is_image(c.arguments[name])
    x = c.image(name) if image else c.value(name)
    return c.give(make(c.graph.cast(x, kind) if kind else x), image)


def _register():
    for name in composed.FUNCTIONS + ACTIVATIONS:
        kind = None if name in composed.OF_INTEGERS else "f32"
        op(name)(lambda c, name=name, kind=kind: elementwise(c, lambda x: c.graph.unary(name, x), kind))


_register()


@op(*SAME)
def same(c):
    return c.held(c.arguments[c.names[0]])


@op("detach")
def detach(c):
    return elementwise(c, lambda x: c.graph.unary("stop_gradient", x), None)


@op("to", "_to_copy", "type_as", "float", "to.dtype")
def to(c):
    return elementwise(c, lambda x: x, None)


@op("dropout", "native_dropout", "feature_dropout", "alpha_dropout")
def dropout(c):
    active = c["train"] and c["p"] > 0
    if active and not c.node.target._schema.name.endswith(("::dropout", "::dropout_", "::native_dropout")):
        raise Unsupported("dropout of whole channels")
    name = c.names[0]
    image = c.is_image(c.arguments[name])
    x = c.image(name) if image else c.value(name)
    y = c.graph.unary("dropout", x, f" rate {float(c['p'])}") if active else x
    several = c.node.target._schema.name.endswith("native_dropout")
    return [Held(y, image), None] if several else c.give(y, image)


@op("gelu")
def gelu(c):
    return elementwise(c, lambda x: c.graph.unary("gelu_tanh" if c["approximate"] == "tanh" else "gelu", x))


@op("leaky_relu")
def leaky_relu(c):
    return elementwise(c, lambda x: c.graph.unary("leaky_relu", x, f" slope {float(c['negative_slope'])}"))


@op("softplus")
def softplus(c):
    beta, g = float(c["beta"]), c.graph
    if beta == 1:
        return elementwise(c, lambda x: g.unary("softplus", x))
    return elementwise(c, lambda x: g.binary("div", g.unary("softplus", g.binary("mul", x, g.scalar(beta))), g.scalar(beta)))


def clamped(g, x, low, high):
    if low is not None and high is not None:
        return g.unary("clamp", x, f" from {float(low)} to {float(high)}")
    x = x if low is None else g.binary("maximum", x, g.scalar(low, x.kind))
    return x if high is None else g.binary("minimum", x, g.scalar(high, x.kind))


@op("clamp", "clip", "clamp_min", "clamp_max")
def clamp(c):
    g = c.graph
    if any(isinstance(c.arguments.get(key), torch.fx.Node) for key in ("min", "max")):
        x = c.value("self")
        x = x if c.arguments.get("min") is None else g.binary("maximum", x, c.value("min", x.kind))
        return c.give(x if c.arguments.get("max") is None else g.binary("minimum", x, c.value("max", x.kind)))
    return elementwise(c, lambda x: clamped(g, x, c["min"], c["max"]), None)


@op("hardtanh")
def hardtanh(c):
    return elementwise(c, lambda x: clamped(c.graph, x, c["min_val"], c["max_val"]))


@op("relu6")
def relu6(c):
    return elementwise(c, lambda x: clamped(c.graph, x, 0.0, 6.0))


@op("celu")
def celu(c):
    return elementwise(c, lambda x: c.graph.unary("celu", x, f" alpha {float(c['alpha'])}"))


@op("elu")
def elu(c):
    """scale (x or alpha (exp(inner x) - 1))"""
    alpha, scale, inner = (float(c[name]) for name in ("alpha", "scale", "input_scale"))
    if inner != 1:
        raise Unsupported("input_scale")

    def make(x):
        y = c.graph.unary("elu", x, f" alpha {alpha}")
        return y if scale == 1 else c.graph.binary("mul", y, c.graph.scalar(scale))
    return elementwise(c, make)


@op("log_sigmoid", "log_sigmoid_forward")
def log_sigmoid(c):
    g = c.graph
    return elementwise(c, lambda x: g.unary("neg", g.unary("softplus", g.unary("neg", x))))


@op("round")
def round_(c):
    if c.arguments.get("decimals"):
        raise Unsupported("decimals")
    return elementwise(c, lambda x: c.graph.unary("round", x))


@op("log2", "log10")
def log2(c):
    base = 2 if c.node.target._schema.name.endswith("log2") else 10
    return elementwise(c, lambda x: c.graph.binary("mul", c.graph.unary("log", x), c.graph.scalar(1 / math.log(base))))


@op("prelu", "_prelu_kernel")
def prelu(c):
    g, image = c.graph, c.is_image(c.arguments[c.names[0]])
    x, weight = c.image(c.names[0]) if image else c.value(c.names[0]), c.value("weight")
    if weight.rank == 1 and weight.shape[0] == 1:
        weight = g.reshape(weight, ())
    elif not image and x.rank > 2:
        weight = g.reshape(weight, (weight.shape[0], *[1] * (x.rank - 2)))
    return c.give(g.binary("prelu", x, weight), image)


# ---- Two operands ----

def pair(c, names, kind):
    """Operands in one layout: channels last if one of them is an image, and the other one may become one."""
    arguments = [c.arguments[name] for name in names]
    rank = len(c.result.shape)
    image = rank >= 3 and any(c.is_image(a) for a in arguments)
    if not image:
        return [c.value_of(a, kind) for a in arguments], False
    values = []
    for argument in arguments:
        if not isinstance(argument, torch.fx.Node):
            values.append(c.value_of(argument, kind))
        elif c.is_image(argument):
            values.append(c.graph.cast(c.image_of(argument), kind))
        else:
            value = c.value_of(argument, kind)
            if value.rank:
                value = c.graph.reshape(value, [1] * (rank - value.rank) + list(value.shape))
                value = c.graph.transpose(value, last_order(rank))
            values.append(value)
    return values, True


def operand_kind(c, names):
    """f32 if an operand is real."""
    for name in names:
        argument = c.arguments[name]
        real = isinstance(argument, float)
        if isinstance(argument, torch.fx.Node):
            meta = argument.meta.get("val")
            real = isinstance(meta, torch.Tensor) and meta.dtype.is_floating_point
        if real:
            return "f32"
    return "i32"


def binary(c, ours, kind=None, names=None):
    names = names or c.names[:2]
    kind = kind or ("f32" if c.result_kind == "f32" else operand_kind(c, names))
    (x, y), image = pair(c, names, kind)
    return c.give(c.graph.binary(ours, x, y), image)


def _register_pairs():
    for name, ours in {"mul": "mul", "maximum": "maximum", "minimum": "minimum", "remainder": "mod", "fmod": "fmod"}.items():
        op(name)(lambda c, ours=ours: binary(c, ours))
    longer = {"less": "lt", "greater": "gt", "less_equal": "le", "greater_equal": "ge", "not_equal": "ne"}
    for name, relation in ({name: name for name in composed.RELATIONS} | longer).items():
        op(name)(lambda c, relation=relation: binary(c, f"compare {relation}"))


_register_pairs()


def scaled(c, ours):
    """self + alpha * other"""
    alpha = c.arguments.get("alpha", 1)
    names = c.names[:2]
    kind = c.result_kind if c.result_kind != "i1" else "i32"
    (x, y), image = pair(c, names, kind)
    if alpha != 1:
        y = c.graph.binary("mul", y, c.graph.scalar(alpha, kind))
    return c.give(c.graph.binary(ours, x, y), image)


@op("add", "__iadd__")
def add(c):
    return scaled(c, "add")


@op("sub", "subtract")
def sub(c):
    return scaled(c, "sub")


@op("rsub")
def rsub(c):
    kind = c.result_kind
    (x, y), image = pair(c, c.names[:2], kind)
    return c.give(c.graph.binary("sub", y, x), image)


@op("div", "divide", "true_divide", "floor_divide")
def div(c):
    mode, g = c.arguments.get("rounding_mode"), c.graph
    if c.node.target._schema.name.endswith("floor_divide"):
        mode = "floor"
    if mode is None or mode == "trunc" and c.result_kind == "i32":
        return binary(c, "div", c.result_kind if mode else "f32")
    if mode == "trunc":
        raise Unsupported("division of reals with rounding_mode trunc")
    (x, y), image = pair(c, c.names[:2], c.result_kind)
    if x.kind == "f32":
        return c.give(g.unary("floor", g.binary("div", x, y)), image)
    return c.give(g.binary("div", g.binary("sub", x, g.binary("mod", x, y)), y), image)  # a quotient of integers is rounded towards 0


@op("pow", "float_power")
def power(c):
    exponent = c.arguments["exponent"]
    direct = {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}
    if isinstance(exponent, (int, float)) and exponent in direct:
        return elementwise(c, lambda x: c.graph.unary(direct[exponent], x))
    if exponent == 1:
        return c.held(c.arguments["self"])
    return binary(c, "pow", "f32")


def _register_truth():
    for function, names in {composed.both: ("logical_and", "bitwise_and", "__and__"), composed.either: ("logical_or", "bitwise_or", "__or__"),
                            composed.differ: ("logical_xor", "bitwise_xor", "__xor__"), composed.negation: ("logical_not", "bitwise_not")}.items():
        op(*names)(lambda c, function=function: truth(c, function))


def truth(c, function):
    if c.result_kind != "i1":
        raise Unsupported("bits of integers")
    return c.give(function(c.graph, *(c.value(name) for name in c.names[:1 if function is composed.negation else 2])))


_register_truth()


@op("where")
def where(c):
    kind, g = c.result_kind, c.graph
    if kind == "i1":
        x, y = c.value("self", "i32"), c.value("other", "i32")
        return c.give(g.cast(g.select(c.value("condition", "i1"), x, y), "i1"))
    x, y = c.value("self", kind), c.value("other", kind)
    return c.give(g.select(c.value("condition", "i1"), x, y))


@op("masked_fill")
def masked_fill(c):
    kind, g = c.result_kind, c.graph
    x, y = c.value("self", "i32" if kind == "i1" else kind), c.value("value", "i32" if kind == "i1" else kind)
    y = g.reshape(y, ()) if y.rank else y
    return c.give(g.cast(g.select(c.value("mask", "i1"), y, x), kind))


@op("addcmul")
def addcmul(c):
    g = c.graph
    product = g.binary("mul", c.value("tensor1", "f32"), c.value("tensor2", "f32"))
    product = product if c["value"] == 1 else g.binary("mul", product, g.scalar(c["value"]))
    return c.give(g.binary("add", c.value("self", "f32"), product))


@op("lerp")
def lerp(c):
    g = c.graph
    x, y = c.value("self", "f32"), c.value("end", "f32")
    return c.give(g.binary("add", x, g.binary("mul", g.binary("sub", y, x), c.value("weight", "f32"))))


@op("glu")
def glu(c):
    x = c.value("self")
    dim = c["dim"] % x.rank
    half = x.shape[dim] // 2
    a, b = c.graph.split(x, [half, half], dim)
    return c.give(c.graph.binary("mul", a, c.graph.unary("sigmoid", b)))
