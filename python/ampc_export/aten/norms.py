# Normalizations of ATen.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported
from ampc_export.sizes import count, hint


def _gamma_and_beta(c, size, kind="f32"):
    g = c.graph
    gamma = c.value("weight", kind) if c.arguments.get("weight") is not None else g.constant(np.ones(size, np.float32))
    beta = c.value("bias", kind) if c.arguments.get("bias") is not None else g.constant(np.zeros(size, np.float32))
    return gamma, beta


@op("layer_norm", "native_layer_norm")
def layer_norm(c):
    g, x = c.graph, c.value("input", "f32")
    dims = len(c["normalized_shape"])
    size = hint(count(x.shape[x.rank - dims:]))
    gamma, beta = _gamma_and_beta(c, size)
    flat = g.reshape(x, (*x.shape[:x.rank - dims], size)) if dims > 1 else x
    gamma, beta = g.reshape(gamma, (size,)), g.reshape(beta, (size,))
    y = g.emit(f"train.layer_norm {{0}}, {{1}}, {{2}} eps {float(c['eps'])}", [flat, gamma, beta], flat.shape, "f32")
    y = g.reshape(y, x.shape)
    return [Held(y), None, None] if c.node.target._schema.name.endswith("native_layer_norm") else c.give(y)


@op("rms_norm")
def rms_norm(c):
    g, x = c.graph, c.value("input", "f32")
    if len(c["normalized_shape"]) != 1:
        raise Unsupported("more than one dimension")
    gamma, _ = _gamma_and_beta(c, hint(x.shape[-1]))
    eps = c["eps"] if c["eps"] is not None else float(np.finfo(np.float32).eps)
    return c.give(g.emit(f"train.rms_norm {{0}}, {{1}} eps {float(eps)}", [x, gamma], x.shape, "f32"))


@op("group_norm", "native_group_norm")
def group_norm(c):
    groups = c["num_groups"] if "num_groups" in c.arguments else c["group"]
    held = _of_channels(c, f"train.group_norm {{0}}, {{1}}, {{2}} groups {groups}")
    return [held, None, None] if c.node.target._schema.name.endswith("native_group_norm") else held


@op("instance_norm")
def instance_norm(c):
    if not c["use_input_stats"]:
        raise Unsupported("running statistics of instances")
    return _of_channels(c, "train.instance_norm {0}, {1}, {2}")


def _of_channels(c, form):
    """Every group of channels of every image has a mean and a variance of its own."""
    g, x = c.graph, c.image("input")
    gamma, beta = _gamma_and_beta(c, hint(x.shape[-1]))
    return c.give(g.emit(f"{form} eps {float(c['eps'])}", [x, gamma, beta], x.shape, "f32"), True)


@op("batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit_functional", "native_batch_norm",
    "cudnn_batch_norm", "_batch_norm_with_update", "_batch_norm_with_update_functional")
def batch_norm(c):
    """With the statistics of the batch, which move the running ones, or with the running ones alone."""
    g = c.graph
    name = c.node.target._schema.name
    training = c.arguments.get("training", c.arguments.get("train", not name.endswith("no_training") and "training" not in c.names))
    rank = len(c.shape("input"))
    x = c.image("input") if rank > 2 else c.value("input")
    size = hint(x.shape[-1])
    gamma, beta = _gamma_and_beta(c, size)
    eps = float(c["eps"])
    running = [c.front.state_of(c.arguments.get(key)) for key in ("running_mean", "running_var")]
    if training and None in running:
        rows = g.flat_rows(x)
        mean = g.reduce("reduce_mean", rows, [0], True)
        apart = g.binary("sub", rows, mean)
        variance = g.reduce("reduce_mean", g.unary("square", apart), [0], True)
        y = g.binary("mul", apart, g.unary("rsqrt", g.binary("add", variance, g.scalar(eps))))
        y = g.reshape(g.binary("add", g.binary("mul", y, gamma), beta), x.shape)
    elif training:
        y = g.emit(f"train.batch_norm {{0}}, {{1}}, {{2}} running @{{0}}, @{{1}} momentum {float(c['momentum'])} eps {eps}",
                   [x, gamma, beta], x.shape, "f32", symbols=running)
    else:
        scale = g.binary("mul", gamma, g.unary("rsqrt", g.binary("add", c.value("running_var"), g.scalar(eps))))
        y = g.binary("add", g.binary("mul", g.binary("sub", x, c.value("running_mean")), scale), beta)
    held = c.give(y, rank > 2) if name.endswith("::batch_norm") else Held(y, rank > 2)
    return held if name.endswith("::batch_norm") else [held] + [None] * (len(c.result) - 1)


@op("_weight_norm_interface", "_weight_norm")
def weight_norm(c):
    """g v / |v|, with a length for every position along `dim`."""
    g, v, lengths = c.graph, c.value("v"), c.value("g")
    dim = c["dim"] % v.rank
    now = g.reduce("reduce_l2", v, [i for i in range(v.rank) if i != dim], True)
    made = Held(g.binary("mul", v, g.binary("div", lengths, now)))
    return [made, Held(now)] if isinstance(c.result, (tuple, list)) else made
