# Prints kernel.conv ops whose filters are packed before, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters are made by the kernel.pack of the tier that reads the filters, unchanged or turned for the gradient of an
image. With sizes N SIZE CHANNELS FEATURES WINDOW, a type and "plain", "packed" or "turned" as arguments: that convolution only."""
import sys

from packed import filter_encoding

number = 0


def conv(n, size, channels, features, window, stride=1, pad=0, dilation=1, element="f32", form="packed", first=False):
    """A square window, on an image that is a little wider than high. `features`: outputs of the convolution, for any form of the filter."""
    global number
    tensor = lambda shape, element, encoding="": "tensor<" + "".join(f"{s}x" for s in shape) + element + encoding + ">"
    acc = "f64" if element == "f64" else "f32"
    image = [n, size, size + 3, channels]
    length = lambda s: (s + 2 * pad - (window - 1) * dilation - 1) // stride + 1
    space = [n, length(image[1]), length(image[2]), features]
    filter = [channels, window, window, features] if form == "turned" else [features, window, window, channels]
    lhs = tensor([n, channels, *image[1:3]] if first else image, element)
    out, bias = tensor(space, acc), tensor([features], acc)
    plain = tensor(filter, element)
    packed = tensor(filter, element, ", " + filter_encoding(filter, element, 0 if form == "turned" else 1))
    dims = "(d0, d1, d2, d3)"
    pack, value, rhs = f"  %p = kernel.pack %b : {plain} to {packed}\n", "%p", packed
    if form == "plain":
        pack, value, rhs = "", "%b", plain
    print(f"""kernel.program @conv{number}(%a: {lhs}, %b: {plain}, %c: {bias}) -> ({out}) {{
{pack}  %r = kernel.conv %a, {value} : {lhs}, {rhs} acc {acc} strides {[stride] * 2} padding {[pad] * 4} dilations {[dilation] * 2} input_dilations [1, 1]
    groups 1 {'channels_first ' if first else ''}space {space} epilogue (%c : {bias}) maps [affine_map<{dims} -> (d3)>] -> [affine_map<{dims} -> {dims}>]
    attributes {{test.low = -1.0, test.high = 1.0, test.tolerance = {1e-13 if acc == 'f64' else 3e-5:e}}} {{
  ^bb0(%sum: {acc}, %x: {acc}):
    %0 = arith.addf %sum, %x : {acc}
    kernel.yield %0 : {acc}
  }} : {out}
  kernel.return %r : {out}
}}""")
    number += 1


def every():
    for form in ["packed", "turned"]:
        for element in ["f32", "bf16", "f16", "f64"]:
            conv(2, 6, 4, 6, 3, pad=1, element=element, form=form)
            conv(2, 7, 16, 24, 3, pad=1, element=element, form=form)  # rows under neighbouring windows
            conv(1, 8, 32, 40, 3, stride=2, pad=1, element=element, form=form)
            conv(2, 6, 12, 9, 3, dilation=2, element=element, form=form)
            conv(3, 5, 8, 12, 1, element=element, form=form)
            conv(2, 5, 24, 36, 1, stride=2, element=element, form=form)
            conv(1, 9, 64, 33, 3, pad=1, element=element, form=form)  # several blocks of k
            conv(1, 1, 2, 1, 1, element=element, form=form)
        conv(5, 2, 16, 20, 3, pad=1, form=form)  # several images per tile and an incomplete tile
        conv(2, 6, 160, 36, 5, pad=4, element="bf16", form=form)
        conv(3, 5, 192, 70, 3, pad=1, element="bf16", form=form)
        conv(6, 5, 520, 40, 1, element="bf16", form=form)
        conv(2, 8, 6, 10, 3, pad=1, element="bf16", form=form, first=True)
    conv(2, 6, 3, 5, 3, pad=1, element="bf16")  # pairs across taps, and an odd number of products
    conv(2, 6, 5, 7, 3, pad=1, element="f16")
    conv(2, 6, 5, 7, 3, pad=1, form="turned")


if len(sys.argv) > 1:
    conv(*map(int, sys.argv[1:6]), pad=int(sys.argv[5]) // 2, element=sys.argv[6], form=sys.argv[7])
else:
    every()
