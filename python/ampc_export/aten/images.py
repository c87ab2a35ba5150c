# Convolutions, pooling and resizing: images in (N, ..., C), filters in (O, ..., I).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, array_of
from ampc_export.graph import Value
from ampc_export.sizes import hint


def _widen(g, x):
    """A signal is an image of height 1."""
    return g.reshape(x, (x.shape[0], 1, *x.shape[1:]))


def _narrow(g, x):
    return g.reshape(x, (x.shape[0], *x.shape[2:]))


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


def _convolve(c, strides, padding, dilations, groups):
    g, x, w = c.graph, c.image("input"), c.image("weight")
    signal = x.rank == 3
    if signal:
        x, w = _widen(g, x), _widen(g, w)
        strides, dilations, padding = [1, *strides], [1, *dilations], [0, 0, *padding]
    y = g.conv2d(x, w, strides, padding, dilations, groups)
    if c.arguments.get("bias") is not None:
        y = g.binary("add", y, c.value("bias"))
    return c.give(_narrow(g, y) if signal else y, True)


@op("conv2d", "conv1d")
def conv(c):
    rank = len(c.shape("input")) - 2
    if rank != len(c.shape("weight")) - 2:
        raise Unsupported("an image without a batch")
    window = [hint(size) for size in c.shape("weight")[2:]]
    return _convolve(c, c.numbers("stride", rank), _padding(c, "padding", window, rank), c.numbers("dilation", rank), c["groups"])


@op("convolution")
def convolution(c):
    rank = len(c.shape("input")) - 2
    if rank > 2:
        raise Unsupported("images of three dimensions")
    if c["transposed"]:
        return _transposed(c, rank)
    return _convolve(c, c.numbers("stride", rank), _padding(c, "padding", None, rank), c.numbers("dilation", rank), c["groups"])


@op("conv_transpose2d", "conv_transpose1d")
def conv_transpose(c):
    return _transposed(c, len(c.shape("input")) - 2)


def _transposed(c, rank):
    """The gradient of a convolution's image: the filter's output channels are this one's input."""
    g, x, w = c.graph, c.image("input"), c.image("weight")
    strides, dilations = c.numbers("stride", rank), c.numbers("dilation", rank)
    padding = _padding(c, "padding", None, rank)
    channels, *spatial = c.result_shape[1:]
    if rank == 1:
        x, w = _widen(g, x), _widen(g, w)
        strides, dilations, padding, spatial = [1, *strides], [1, *dilations], [0, 0, *padding], [1, *spatial]
    shape = (x.shape[0], *spatial, channels)
    form = "train.conv2d_grad_input {0}, {1}" + g.conv_attributes(strides, padding, dilations, c["groups"])
    result = Value(shape, "f32").tensor_type
    y = g.emit(f"{form} : ({x.tensor_type}, {w.tensor_type}) -> {result}", [x, w], shape, "f32")
    if c.arguments.get("bias") is not None:
        y = g.binary("add", y, c.value("bias"))
    return c.give(_narrow(g, y) if rank == 1 else y, True)


# ---- Pooling ----

def _window(c):
    """Image, window, strides and padding; a last window that begins inside may end outside."""
    g, x = c.graph, c.image("self")
    rank = x.rank - 2
    if rank > 2:
        raise Unsupported("images of three dimensions")
    window = c.numbers("kernel_size", rank)
    strides = c.numbers("stride", rank) if c["stride"] else window
    padding = _padding(c, "padding", None, rank)
    out = [hint(size) for size in c.front.sizes((c.result[0] if isinstance(c.result, (list, tuple)) else c.result).shape)[2:]]
    for i in range(rank):
        whole = (out[i] - 1) * strides[i] + window[i]
        padding[2 * i + 1] = max(whole - hint(x.shape[1 + i]) - padding[2 * i], padding[2 * i + 1])
    if rank == 1:
        x, window, strides, padding, out = _widen(g, x), [1, *window], [1, *strides], [0, 0, *padding], [1, *out]
    # What no window reaches, because windows outside of the image are left out.
    for i in range(2):
        whole = (out[i] - 1) * strides[i] + window[i]
        if (hint(x.shape[1 + i]) + padding[2 * i] + padding[2 * i + 1] - window[i]) // strides[i] + 1 != out[i]:
            padding[2 * i + 1] = max(whole - hint(x.shape[1 + i]) - padding[2 * i], 0)
    return x, (window, strides, padding, out), rank == 1


@op("max_pool2d", "max_pool1d", "max_pool2d_with_indices")
def max_pool(c):
    g = c.graph
    if any(d != 1 for d in c.numbers("dilation")):
        raise Unsupported("dilations of a window")
    x, geometry, signal = _window(c)
    y = g.pool("max_pool", x, *geometry)
    y = _narrow(g, y) if signal else y
    return [Held(y, True), None] if isinstance(c.result, (list, tuple)) else c.give(y, True)


@op("avg_pool2d", "avg_pool1d")
def avg_pool(c):
    g = c.graph
    if c.arguments.get("divisor_override"):
        raise Unsupported("divisor_override")
    x, geometry, signal = _window(c)
    y = g.pool("avg_pool", x, *geometry)
    ceiling = c.arguments.get("ceil_mode")
    if any(geometry[2]) and (not c.arguments.get("count_include_pad", True) or ceiling):
        if ceiling and c.arguments.get("count_include_pad", True) and any(c.numbers("padding")):
            raise Unsupported("ceil_mode with padding that counts")
        ones = g.constant(np.ones((1, *map(hint, x.shape[1:3]), 1), np.float32))
        y = g.binary("div", y, g.pool("avg_pool", ones, *geometry))
    return c.give(_narrow(g, y) if signal else y, True)


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


# ---- Resizing ----

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
    y = g.conv2d(x, filters, strides, padding, dilations, channels)
    y = g.reshape(y, (y.shape[0], y.shape[1] * y.shape[2], y.shape[3]))
    return c.give(g.transpose(y, [0, 2, 1]))
