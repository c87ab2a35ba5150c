# Convolutions, pooling and resizing: images in (N, ..., C), filters in (O, ..., I).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, array_of
from ampc_export.sizes import hint, listed


def _padding(c, name, window, rank):
    """[top, bottom, left, right]; also "same" and "valid"."""
    given = c.arguments.get(name, 0)
    if given == "valid":
        return [0, 0] * rank
    if given == "same":
        pads = []
        for size, dilation in zip(window, c.numbers("dilation", rank)):
            whole = dilation * (size - 1)
            pads += [whole // 2, whole - whole // 2]
        return pads
    return [pad for number in c.numbers(name, rank) for pad in (number, number)]


def _with_bias(c, y):
    return c.give(c.graph.binary("add", y, c.value("bias")) if c.arguments.get("bias") is not None else y, True)


def _convolve(c, rank, window=None):
    padding = _padding(c, "padding", window, rank)
    return _with_bias(c, c.graph.conv(c.image("input"), c.image("weight"), c.numbers("stride", rank), padding, c.numbers("dilation", rank), c["groups"]))


@op("conv1d", "conv2d", "conv3d")
def conv(c):
    rank = len(c.shape("input")) - 2
    if rank != len(c.shape("weight")) - 2:
        raise Unsupported("an image without a batch")
    return _convolve(c, rank, [hint(size) for size in c.shape("weight")[2:]])


@op("convolution")
def convolution(c):
    rank = len(c.shape("input")) - 2
    return _transposed(c, rank) if c["transposed"] else _convolve(c, rank)


@op("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(c):
    return _transposed(c, len(c.shape("input")) - 2)


def _transposed(c, rank):
    """The filter's output channels are this one's input."""
    y = c.graph.conv_transpose(c.image("input"), c.image("weight"), c.numbers("stride", rank), _padding(c, "padding", None, rank),
                               c.numbers("dilation", rank), c["groups"], c.numbers("output_padding", rank), c.result_shape[2:])
    return _with_bias(c, y)


# ---- Pooling ----

def _pool(c, mode, dilations=None, flags=""):
    """A last window that begins inside may end outside."""
    x, result = c.image("self"), c.result[0] if isinstance(c.result, (list, tuple)) else c.result
    rank = x.rank - 2
    window = c.numbers("kernel_size", rank)
    strides = c.numbers("stride", rank) if c["stride"] else window
    flags = (" ceil" if c.arguments.get("ceil_mode") else "") + flags
    sizes = c.front.sizes(result.shape)[2:]
    return c.graph.pool(mode, x, window, strides, _padding(c, "padding", None, rank), dilations or [1] * rank, sizes, flags)


def _first(c, y):
    """Without the places of the maxima."""
    return [Held(y, True), None] if isinstance(c.result, (list, tuple)) else c.give(y, True)


@op("max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool(c):
    return _first(c, _pool(c, "max", c.numbers("dilation", len(c.shape("self")) - 2)))


@op("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(c):
    divisor = c.arguments.get("divisor_override")
    if divisor:
        return c.give(c.graph.binary("div", _pool(c, "sum"), c.graph.scalar(divisor)), True)
    return c.give(_pool(c, "mean", flags="" if c.arguments.get("count_include_pad", True) else " exclude_padding"), True)


def _adaptive(c, mode, sizes):
    x = c.image("self")
    return c.graph.emit(f"train.adaptive_pool {mode} {{0}} to {listed(sizes)}", [x], (x.shape[0], *sizes, x.shape[-1]), "f32")


@op("adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool3d")
def adaptive_avg_pool(c):
    g, x = c.graph, c.image("self")
    out = [hint(size) for size in c.result_shape[2:]]
    if any(size != 1 for size in out):
        return c.give(_adaptive(c, "mean", out), True)
    pooled = g.emit("train.global_avg_pool {0}", [x], (x.shape[0], x.shape[-1]), "f32")
    return c.give(g.reshape(pooled, (x.shape[0], *out, x.shape[-1])), True)


@op("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(c):
    return _first(c, _adaptive(c, "max", c.numbers("output_size", len(c.shape("self")) - 2)))


# ---- Resizing ----

def _along(g, x, at, matrix):
    """Positions along dimension 1 or 2 of an image, each a sum of others: matrix is [new, old]."""
    n, h, w, channels = x.shape
    if matrix.shape[0] == matrix.shape[1] and (matrix == torch.eye(len(matrix))).all():
        return x
    weights = g.constant(array_of(matrix))
    new = matrix.shape[0]
    if at == 1:
        return g.reshape(g.matmul(weights, g.reshape(x, (n, h, w * channels))), (n, new, w, channels))
    y = g.matmul(weights, g.reshape(x, (n * h, w, channels)))
    return g.reshape(y, (n, h, new, channels))


def _matrix(size, resize):
    """The matrix of a linear map of positions: what it makes of every unit vector."""
    return resize(torch.eye(size).reshape(1, size, size, 1)).reshape(size, -1).T.contiguous()


@op("adaptive_avg_pool2d", "_adaptive_avg_pool2d")
def adaptive_avg_pool2d(c):
    g, x = c.graph, c.image("self")
    out = [hint(size) for size in c.result_shape[2:]]
    if out == [1, 1]:
        pooled = g.emit("train.global_avg_pool {0}", [x], (x.shape[0], x.shape[3]), "f32")
        return c.give(g.reshape(pooled, (x.shape[0], 1, 1, x.shape[3])), True)
    sizes = [hint(size) for size in x.shape[1:3]]
    if all(size % new == 0 for size, new in zip(sizes, out)):
        window = [size // new for size, new in zip(sizes, out)]
        y = g.pool("avg_pool", x, window, window, [0, 0, 0, 0], out)
        return c.give(y, True)
    for at, new in zip((1, 2), out):
        x = _along(g, x, at, _matrix(hint(x.shape[at]), lambda e, new=new: torch.nn.functional.adaptive_avg_pool2d(e, (new, 1))))
    return c.give(x, True)


@op("adaptive_max_pool2d")
def adaptive_max_pool2d(c):
    g, x = c.graph, c.image("self")
    out = c.numbers("output_size")
    window = [hint(size) // new for size, new in zip(x.shape[1:3], out)]
    if [w * n for w, n in zip(window, out)] != [hint(size) for size in x.shape[1:3]]:
        raise Unsupported("windows of different sizes")
    y = g.pool("max_pool", x, window, window, [0, 0, 0, 0], out)
    return [Held(y, True), None]


def _scale(c, at):
    """The factor that the caller gave, which need not be the quotient of the sizes."""
    factors = c.arguments.get("scale_factors")
    if factors:
        return float(factors[at])
    return c.arguments.get("scales_h" if at == 0 else "scales_w")


@op("upsample_nearest2d", "upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_nearest_exact2d",
    "_upsample_bicubic2d_aa")
def upsample(c):
    g, x = c.graph, c.image("self" if "self" in c.arguments else "input")
    out = [hint(size) for size in c.result_shape[2:]]
    name = c.node.target._schema.name.removeprefix("aten::")
    sizes = [hint(size) for size in x.shape[1:3]]
    if name == "upsample_nearest2d" and all(new % size == 0 for new, size in zip(out, sizes)):
        n, h, w, channels = x.shape
        a, b = out[0] // sizes[0], out[1] // sizes[1]
        y = g.broadcast_to(g.reshape(x, (n, h, 1, w, 1, channels)), (n, h, a, w, b, channels))
        return c.give(g.reshape(y, (n, *out, channels)), True)
    function = getattr(torch.ops.aten, name)
    extra = [bool(c["align_corners"])] if "align_corners" in c.arguments else []
    for at, new in enumerate(out):
        scale = _scale(c, at)

        def resize(e, new=new, scale=scale):
            return function(e, [new, 1], *extra, scale, None)
        x = _along(g, x, 1 + at, _matrix(hint(x.shape[1 + at]), resize))
    return c.give(x, True)


@op("im2col")
def im2col(c):
    """Windows of an image, one after the other: a convolution with unit vectors."""
    g, x = c.graph, c.image("self")
    kernel, strides, dilations = (c.numbers(name, 2) for name in ("kernel_size", "stride", "dilation"))
    padding = _padding(c, "padding", None, 2)
    channels = hint(x.shape[3])
    size = kernel[0] * kernel[1]
    unit = torch.eye(size).reshape(size, *kernel, 1)
    filters = g.constant(array_of(unit.repeat(channels, 1, 1, 1)))
    y = g.conv(x, filters, strides, padding, dilations, channels)
    y = g.reshape(y, (y.shape[0], y.shape[1] * y.shape[2], y.shape[3]))
    return c.give(g.transpose(y, [0, 2, 1]))
