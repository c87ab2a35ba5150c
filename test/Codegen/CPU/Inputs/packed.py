# Encoding of packed matrices, as in the CPU target.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes that every tier gets along with: see `packedBytes` in lib/Codegen/CPU."""


def up(number, step):
    return -(-number // step) * step


def encoding(shape, element, side, depth):
    """`shape` of two numbers, summed over dimension `depth` by products that have it as `side`."""
    lines, points = shape[1 - depth] + 11 * (side == "lhs"), shape[depth]
    width = {"f64": 8, "f32": 4, "f16": 4, "bf16": 4 if side == "lhs" else 2}[element]
    lines = up(lines, 32 if lines > 16 else 16)
    points = up(points, 32 if element in ("f16", "bf16") else 1)
    return f"#kernel.packed<{side}, depth = {depth}, bytes = {lines * points * width}>"


def filter_encoding(shape, element, depth):
    """`shape` OHWI; `depth` 1: outputs x (tap, channel), 0: channels x (tap, output)."""
    outputs, taps, channels = shape[0], shape[1] * shape[2], shape[3]
    return encoding([taps * outputs, channels] if depth == 0 else [outputs, taps * channels], element, "rhs", depth)
