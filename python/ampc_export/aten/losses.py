# Losses of ATen.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.aten import op
from ampc_export.aten.converter import Unsupported
from ampc_export.aten.pointwise import pair

REDUCTIONS = {0: " reduce none", 1: "", 2: " reduce sum"}


def _classes_last(c):
    """[N, C, ...] as [N, ..., C]."""
    return c.graph.cast(c.image("self") if len(c.shape("self")) > 2 else c.value("self"), "f32")


@op("cross_entropy_loss")
def cross_entropy(c):
    g, reduction = c.graph, int(c["reduction"])
    smoothing = float(c.arguments.get("label_smoothing", 0.0))
    logits, target = _classes_last(c), c.value("target")
    soft = target.kind == "f32"
    if soft:
        target = c.image("target") if target.rank > 2 else target
    text = REDUCTIONS[reduction]
    if soft and reduction == 1:
        # PyTorch divides by the rows of the batch, not by all places.
        places = 1
        for size in logits.shape[1:-1]:
            places = places * size
        if places != 1:
            raise Unsupported("the mean of distributions for several places of a row")
    if not soft:
        text += f" ignore {c['ignore_index']}"
    if smoothing:
        text += f" smoothing {smoothing}"
    return c.give(_of_classes(c, [logits, target], text))


def _of_classes(c, operands, text):
    """Of scores and classes or distributions, with a weight per class if there is one."""
    shape = operands[0].shape[:-1] if int(c["reduction"]) == 0 else ()
    if c.arguments.get("weight") is None:
        return c.graph.emit(f"train.softmax_cross_entropy {{0}}, {{1}}{text}", operands, shape, "f32")
    return c.graph.emit(f"train.weighted_cross_entropy {{0}}, {{1}}, {{2}}{text}", [*operands, c.value("weight")], shape, "f32")


@op("nll_loss", "nll_loss_nd", "nll_loss2d", "nll_loss_forward")
def nll_loss(c):
    """Behind log_softmax both are one op."""
    g, reduction = c.graph, int(c["reduction"])
    log, target = _classes_last(c), c.value("target")
    if isinstance(c.result, (tuple, list)):
        raise Unsupported("the total weight as a result")
    text = f"{REDUCTIONS[reduction]} ignore {c['ignore_index']}"
    if log.op is not None and log.op.form == "train.log_softmax {0}":
        return c.give(_of_classes(c, [log.op.operands[0], target], text))
    if c.arguments.get("weight") is not None:
        raise Unsupported("weights of classes behind something else than log_softmax")
    return c.give(g.emit(f"train.nll {{0}}, {{1}}{text}", [log, target], log.shape[:-1] if reduction == 0 else (), "f32"))


def _pairwise(c, form, attributes=""):
    g, reduction = c.graph, int(c["reduction"])
    (x, target), image = pair(c, c.names[:2], "f32")
    if x.shape != target.shape:
        raise Unsupported(f"a target of shape {list(target.shape)} for {list(x.shape)}")
    y = g.emit(f"train.{form} {{0}}, {{1}}{attributes}{REDUCTIONS[reduction]}", [x, target], x.shape if reduction == 0 else (), "f32")
    return c.give(y, image and reduction == 0)


@op("mse_loss")
def mse(c):
    return _pairwise(c, "mse")


@op("l1_loss")
def l1(c):
    return _pairwise(c, "l1")


@op("smooth_l1_loss")
def smooth_l1(c):
    beta = float(c["beta"])
    return _pairwise(c, "smooth_l1", f" beta {beta}") if beta else _pairwise(c, "l1")


@op("huber_loss")
def huber(c):
    return _pairwise(c, "huber", f" delta {float(c['delta'])}")


def _finish(c, rows):
    """Mean or sum of what every element has."""
    g, reduction = c.graph, int(c["reduction"])
    if reduction == 0:
        return c.give(rows)
    return c.give(g.reduce("reduce_mean" if reduction == 1 else "reduce_sum", rows, None))


@op("binary_cross_entropy_with_logits")
def bce_with_logits(c):
    g = c.graph
    if c.arguments.get("weight") is None and c.arguments.get("pos_weight") is None:
        return _pairwise(c, "bce_with_logits")
    x, target = c.value("self", "f32"), c.value("target", "f32")
    if c.arguments.get("pos_weight") is None:
        rows = g.emit("train.bce_with_logits {0}, {1} reduce none", [x, target], x.shape, "f32")
    else:
        # (1 - t) x + (1 + (w - 1) t) softplus(-x)
        w = g.binary("sub", c.value("pos_weight"), g.scalar(1.0))
        factor = g.binary("add", g.binary("mul", target, w), g.scalar(1.0))
        rows = g.binary("mul", g.unary("softplus", g.unary("neg", x)), factor)
        rows = g.binary("add", rows, g.binary("mul", x, g.binary("sub", g.scalar(1.0), target)))
    if c.arguments.get("weight") is not None:
        rows = g.binary("mul", rows, c.value("weight"))
    return _finish(c, rows)


@op("binary_cross_entropy")
def bce(c):
    """PyTorch limits the logarithms to -100; behind a sigmoid it is the loss of what went into it."""
    g = c.graph
    (x, target), _ = pair(c, c.names[:2], "f32")
    if x.op is not None and x.op.form == "train.sigmoid {0}":
        rows = g.emit("train.bce_with_logits {0}, {1} reduce none", [x.op.operands[0], target], x.shape, "f32")
    else:
        one, limit = g.scalar(1.0), g.scalar(-100.0)
        yes = g.binary("maximum", g.unary("log", x), limit)
        no = g.binary("maximum", g.unary("log", g.binary("sub", one, x)), limit)
        rows = g.unary("neg", g.binary("add", g.binary("mul", target, yes), g.binary("mul", g.binary("sub", one, target), no)))
    if c.arguments.get("weight") is not None:
        rows = g.binary("mul", rows, c.value("weight"))
    return _finish(c, rows)


@op("kl_div")
def kl_div(c):
    if not c["log_target"]:
        return _pairwise(c, "kl_div")
    g, x, target = c.graph, c.value("self", "f32"), c.value("target", "f32")
    return _finish(c, g.binary("mul", g.unary("exp", target), g.binary("sub", target, x)))


@op("soft_margin_loss")
def soft_margin(c):
    g = c.graph
    return _finish(c, g.unary("softplus", g.unary("neg", g.binary("mul", c.value("self", "f32"), c.value("target", "f32")))))
