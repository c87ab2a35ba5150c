# Convolutions, pooling and resizing: images in (N, ..., C), filters in (O, ..., I).
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, array_of
from ampc_export.sizes import count, hint, listed


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
    """Positions along a dimension, each a sum of others: matrix is [new, old]."""
    apart = g.reshape(x, (count(x.shape[:at]), x.shape[at], count(x.shape[at + 1:])))
    y = g.matmul(g.constant(array_of(matrix)), apart)
    return g.reshape(y, (*x.shape[:at], matrix.shape[0], *x.shape[at + 1:]))


class _Resize:
    """An op of the family `upsample`: how train.resize says it, dimension by dimension."""

    def __init__(self, c, x):
        self.c, self.x = c, x
        self.name = c.node.target._schema.name.removeprefix("aten::")
        self.new = [hint(size) for size in c.result_shape[2:]]
        self.old = [hint(size) for size in x.shape[1:-1]]
        self.corners = bool(c["align_corners"]) if "align_corners" in c.arguments else False

    def scale(self, at):
        """The factor that the caller gave, which need not be the quotient of the sizes. Where these are equal, most copy."""
        factors = self.c.arguments.get("scale_factors")
        given = factors[at] if factors else self.c.arguments.get(self._names()[at])
        copies = self.new[at] == self.old[at] and self.name != "upsample_bicubic2d" and "exact" not in self.name
        return None if given is None or self.corners or copies else float(given)

    def _names(self):
        return ["scales"] if len(self.new) == 1 else ["scales_d", "scales_h", "scales_w"][-len(self.new):]

    def scales(self):
        return [self.scale(at) or new / old for at, (new, old) in enumerate(zip(self.new, self.old))]

    def words(self):
        """Mode and options; none where train.resize has no such rule."""
        if "nearest_exact" in self.name:
            return "nearest", " rounding round_prefer_ceil"
        if "nearest" in self.name:
            return "nearest", " coordinates asymmetric rounding floor"
        if self.name.endswith("_aa") and self.corners:
            return None
        corners = " coordinates align_corners" if self.corners else ""
        # Pillow's filter, which excludes pixels outside of the image.
        filtered = " exclude_outside antialias" if self.name.endswith("_aa") else ""
        cubic = "bicubic" in self.name
        return "cubic" if cubic else "linear", corners + (" coefficient -0.5" if cubic and filtered else "") + filtered

    def matrix(self, at):
        """What PyTorch makes of every unit vector along a dimension, [new, old]. The others have 2 elements: 1 is a case of its own there."""
        rank, old, new = len(self.new), self.old[at], self.new[at]
        line, other = [1] * at + [-1] + [1] * (rank - at - 1), [2] * rank
        units = torch.eye(old).reshape(1, old, *line).expand(1, old, *other[:at], old, *other[at + 1:]).contiguous()
        extra = [self.corners] if "align_corners" in self.c.arguments else []
        scales = [self.scale(at) if i == at else None for i in range(rank)]
        made = getattr(torch.ops.aten, self.name)(units, [*other[:at], new, *other[at + 1:]], *extra, *scales)
        return made.movedim(2 + at, 2).reshape(old, new, -1)[..., 0].T.contiguous()

    def agrees(self, at):
        """Whether the same elements are the nearest, with places that PyTorch rounds to f32."""
        if "nearest" not in self.name:
            return True
        scale, half = self.scales()[at], 0.5 if "exact" in self.name else 0.0
        places = [min(math.floor((i + half) / scale - half + half), self.old[at] - 1) for i in range(self.new[at])]
        return self.matrix(at).argmax(1).tolist() == places


@op("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
    "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def upsample(c):
    g, x = c.graph, c.image("self" if "self" in c.arguments else "input")
    resize = _Resize(c, x)
    changed = [at for at, (new, old) in enumerate(zip(resize.new, resize.old)) if new != old or resize.scale(at) not in (None, 1.0)]
    if resize.words() and all(map(resize.agrees, changed)):
        mode, options = resize.words()
        shape, scales = (x.shape[0], *resize.new, x.shape[-1]), [1.0, *resize.scales(), 1.0]
        if scales[1:-1] != [new / old for new, old in zip(resize.new, resize.old)]:
            options = f" scales {listed(scales)}" + options
        return c.give(g.emit(f"train.resize {mode} {{0}} to {listed(shape)}{options}", [x], shape, x.kind), True)
    for at in changed:
        x = _along(g, x, 1 + at, resize.matrix(at))
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
