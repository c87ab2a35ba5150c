# Prints kernel.conv and kernel.conv_filter ops over windows, groups and types, for ampc-kernel-run. "small": ops of at most 300 thousand
# products. "first": channels-first images. "planes", "stacks": filter gradients on AMX with padded planes or stacked
# images; "single": with a blocking, beside which kernel-configure keeps the single slice of a filter's sum. "strides":
# images dilated so far that phases share code.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

number = 0
small, first, single = "small" in sys.argv[1:], "first" in sys.argv[1:], "single" in sys.argv[1:]
planes, stacks = "planes" in sys.argv[1:], "stacks" in sys.argv[1:]


def tensor(shape, element):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def kernel(name, image, rhs, space, stride, pad, dilation, spread, groups, element, bias):
    global number
    if first:
        image = [image[0], image[3], *image[1:3]]
    acc = "f64" if element == "f64" else "f32"
    lhs, rhs, out = tensor(image, element), tensor(rhs, element), tensor(space, acc)
    extra = tensor(space[-1:], acc)
    dims = "(d0, d1, d2, d3)"
    given = "blockings = [#kernel.filter_blocking<plain, pixels, tile = 4x8, block = 1x1, task = 1x1>], " if single else ""
    print(f"""kernel.program @conv{number}(%a: {lhs}, %b: {rhs}, %c: {extra}) -> ({out}) {{
  %r = kernel.{name} %a, %b : {lhs}, {rhs} acc {acc} strides {stride} padding {pad} dilations {dilation} input_dilations {spread}
    groups {groups} {'channels_first ' if first else ''}space {space} epilogue ({f'%c : {extra}' if bias else ''})
    maps [{f'affine_map<{dims} -> (d3)>' if bias else ''}] -> [affine_map<{dims} -> {dims}>]
    attributes {{{given}test.low = -1.0, test.high = 1.0, test.tolerance = {1e-13 if acc == 'f64' else 3e-5:e}}} {{
  ^bb0(%sum: {acc}{f', %x: {acc}' if bias else ''}):
    {f'%0 = arith.addf %sum, %x : {acc}' if bias else ''}
    kernel.yield {'%0' if bias else '%sum'} : {acc}
  }} : {out}
  kernel.return %r : {out}
}}""")
    number += 1


def conv(n, size, channels, features, window, stride=1, pad=0, dilation=1, spread=1, groups=1, element="f32"):
    """A square window, on an image that is a little wider than high."""
    image = [n, size, size + 3, channels]
    filter = [features, window, window, channels // groups]
    length = lambda s: ((s - 1) * spread + 1 + 2 * pad - (window - 1) * dilation - 1) // stride + 1
    out = [n, length(image[1]), length(image[2]), features]
    assert "strides" not in sys.argv[1:] or min(out[1], spread) * min(out[2], spread) > 16
    both = lambda x: [x, x]
    if small and "strides" not in sys.argv[1:] and n * out[1] * out[2] * features * window * window * channels // groups > 3e5:
        return
    geometry = (both(stride), [pad] * 4, both(dilation), both(spread), groups, element)
    if not planes and not stacks:
        kernel("conv", image, filter, out, *geometry, bias=True)
    if "strides" not in sys.argv[1:]:
        kernel("conv_filter", image, out, filter, *geometry, bias=False)


if planes:
    conv(6, 17, 64, 64, 3, pad=1, element="bf16")
    conv(38, 9, 32, 96, 3, pad=1, element="bf16")  # several parts of the images
    conv(4, 18, 64, 32, 3, stride=2, pad=1, element="bf16")  # four planes
    conv(4, 15, 32, 64, 3, stride=2, pad=1, element="bf16")
    conv(8, 16, 64, 32, 1, stride=2, element="bf16")  # a single plane of four
    conv(4, 16, 32, 32, 5, pad=2, element="bf16")
    conv(4, 12, 32, 32, 4, pad=1, element="bf16")
    conv(5, 14, 32, 32, 3, pad=1, element="bf16")  # an image without a partner
    conv(3, 13, 64, 128, 3, pad=1, groups=2, element="bf16")
    conv(2, 20, 32, 32, 3, pad=2, dilation=2, element="bf16")
    conv(1, 40, 32, 32, 3, stride=2, dilation=3, element="bf16")  # nothing in the padding; phases of odd distances
    conv(3, 40, 32, 32, 3, stride=3, element="bf16")
    conv(6, 17, 64, 64, 3, pad=1, element="f16")
    conv(4, 18, 64, 32, 3, stride=2, pad=1, element="f16")
    conv(5, 14, 32, 32, 3, pad=1, element="f16")
    sys.exit()

if stacks:
    conv(64, 4, 32, 32, 3, pad=1, element="bf16")
    conv(60, 5, 32, 32, 3, pad=1, element="bf16")  # two blocks, the second short of pairs
    conv(19, 2, 64, 96, 3, pad=1, element="bf16")  # half a block, and an image without a partner
    conv(33, 1, 32, 64, 3, pad=1, element="bf16")  # taps that reach no row
    conv(36, 4, 32, 32, 3, stride=2, pad=1, element="bf16")  # four phases
    conv(36, 3, 32, 32, 3, stride=2, pad=1, element="bf16")  # of different heights
    conv(34, 2, 64, 64, 3, pad=1, groups=2, element="bf16")
    conv(34, 2, 32, 32, 3, pad=2, dilation=2, element="bf16")
    conv(40, 4, 32, 32, 3, element="bf16")  # nothing in the padding
    conv(40, 2, 32, 32, 5, pad=2, element="bf16")
    sys.exit()

if "strides" in sys.argv[1:]:
    conv(1, 3, 8, 5, 4, pad=2, dilation=3, spread=7)  # the next tap three outputs further on
    conv(1, 3, 5, 7, 6, pad=1, spread=5, element="bf16")  # one or two taps, outputs of two lengths, pairs across taps
    conv(2, 2, 12, 6, 3, pad=1, spread=7, groups=3)  # phases without a tap
    conv(1, 2, 9, 9, 7, pad=3, spread=5, groups=9)  # a channel by itself
    if small:
        sys.exit()
    conv(2, 3, 8, 6, 5, spread=5)  # a tap per phase
    conv(1, 3, 16, 5, 7, pad=3, spread=5)
    conv(1, 3, 16, 5, 5, pad=2, dilation=2, spread=6)  # every second output meets a tap
    conv(1, 4, 8, 6, 3, dilation=5, spread=5)  # a phase of 25 meets all taps
    conv(2, 3, 32, 12, 7, pad=2, spread=6, element="bf16")
    conv(1, 3, 32, 9, 5, pad=1, spread=9, element="f16")
    conv(1, 2, 6, 5, 6, pad=3, spread=5, element="f64")
    conv(2, 2, 24, 24, 7, pad=3, spread=5, groups=24, element="bf16")
    conv(1, 3, 6, 6, 3, pad=1, dilation=2, spread=7, groups=6)
    sys.exit()

conv(2, 6, 3, 5, 3, pad=1)
conv(2, 7, 16, 24, 3, pad=1)
conv(1, 8, 32, 40, 3, stride=2, pad=1)
conv(1, 8, 19, 10, 3, dilation=2)
conv(3, 5, 8, 12, 1)
conv(2, 5, 24, 36, 1, stride=2)
conv(2, 6, 12, 18, 3, pad=1, groups=3)
conv(1, 6, 8, 8, 3, pad=1, groups=8)
conv(2, 4, 16, 8, 3, pad=2, spread=2)
conv(1, 9, 64, 33, 3, pad=1)  # several blocks of k
conv(4, 12, 5, 7, 5, stride=3, pad=2)
conv(2, 6, 16, 10, 3, pad=1, element="bf16")
conv(2, 6, 5, 10, 3, pad=1, element="f64")
conv(1, 7, 5, 9, 3, pad=1, element="bf16")  # pairs across taps, and an odd number of products
conv(2, 8, 32, 40, 3, stride=2, pad=1, element="bf16")
conv(1, 9, 64, 33, 3, pad=1, element="bf16")
conv(2, 6, 24, 18, 3, pad=1, groups=2, element="bf16")
conv(2, 4, 16, 8, 3, pad=2, spread=2, element="f16")
conv(8, 10, 40, 144, 1, element="bf16")  # cotangents that tiles pack together, in two blocks of pixels
# Images dilated by zeros: phases without a tap, with some, and such that share no tap.
conv(2, 5, 16, 12, 1, spread=2)
conv(2, 5, 24, 20, 4, pad=2, spread=3, element="bf16")
conv(1, 6, 16, 12, 3, pad=2, dilation=2, spread=2)
conv(2, 4, 12, 18, 3, pad=1, spread=2, groups=3)
conv(2, 4, 5, 9, 3, pad=1, spread=2, element="bf16")  # pairs across taps
conv(1, 4, 40, 33, 3, pad=1, dilation=3, spread=2, element="bf16")
conv(1, 5, 8, 6, 3, pad=1, stride=2, spread=3)
conv(3, 5, 40, 12, 1, spread=3, groups=2)  # rows without a tap, shared by the tasks of other rows
# Rows under neighbouring windows: several images per tile and an incomplete tile, tiles past the edge, blocks of window rows.
conv(5, 2, 16, 20, 3, pad=1)
conv(5, 2, 16, 20, 3, pad=1, element="bf16")
conv(2, 20, 8, 16, 3, pad=1, stride=2)
conv(3, 5, 192, 40, 3, pad=1)
conv(2, 6, 160, 36, 5, pad=4, dilation=1, element="bf16")
# Filters whose parts are ranges of the images; an image without a partner.
conv(37, 10, 16, 24, 3, pad=1)
conv(37, 10, 16, 24, 3, pad=1, element="bf16")
conv(18, 9, 24, 32, 3, pad=1, stride=2, groups=2, element="bf16")
conv(6, 5, 520, 40, 1, element="bf16")
conv(1, 7, 3, 20, 3, pad=1, element="f16")
# Depthwise: rows in blocks and partial blocks, tails of vectors, taps in rows, images without an interior, phases.
for element in ["f32", "bf16"]:
    conv(2, 11, 7, 7, 3, pad=1, groups=7, element=element)
    conv(2, 20, 33, 33, 3, stride=2, pad=1, groups=33, element=element)
    conv(4, 9, 48, 48, 5, pad=2, groups=48, element=element)
    conv(1, 6, 16, 16, 3, pad=2, dilation=2, groups=16, element=element)
    conv(2, 5, 40, 40, 3, pad=1, spread=2, groups=40, element=element)
conv(2, 2, 3, 3, 5, pad=3, groups=3)
conv(1, 17, 2, 2, 1, stride=3, groups=2)
conv(1, 9, 18, 18, 7, pad=3, groups=18, element="f16")
conv(2, 12, 9, 9, 4, stride=3, pad=2, groups=9, element="f64")
conv(1, 5, 6, 6, 2, pad=1, spread=3, groups=6)  # phases without a tap
conv(3, 4, 5, 5, 3, pad=1, stride=2, spread=2, groups=5)
conv(2, 6, 8, 16, 3, pad=1, groups=8)
# Rows of windows of few channels, cut by blocks of k, and by the edges of the image.
conv(2, 35, 3, 8, 16, stride=16)
conv(1, 30, 5, 9, 11, stride=4, pad=5, element="bf16")
# Gathered windows of filter gradients: several slices and blocks of rows, an image without a partner, runs of a single tap, groups.
conv(11, 16, 3, 24, 3, pad=1)
conv(11, 16, 3, 24, 3, pad=1, element="bf16")
conv(3, 22, 3, 18, 7, stride=2, pad=3, element="bf16")
conv(2, 9, 3, 13, 3, pad=2, dilation=2)
conv(5, 7, 6, 8, 3, pad=4, groups=2, element="f16")
conv(2, 20, 4, 36, 5, element="f64")
