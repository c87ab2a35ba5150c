# Prints kernel.conv and kernel.conv_filter ops of 16-bit numbers for matrix units, for ampc-kernel-run: strides, dilations, padding,
# edges of tiles, channels that fill 2 to 16 bytes, groups, zeros between rows, sums in parts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    import convs

convs.conv(2, 6, 16, 10, 3, pad=1, element="bf16")
convs.conv(3, 9, 24, 72, 3, stride=2, pad=1, element="f16")
convs.conv(2, 9, 8, 33, 3, dilation=2, pad=2, element="bf16")
convs.conv(5, 5, 40, 12, 1, element="f16")
convs.conv(1, 13, 8, 20, 5, stride=3, pad=2, element="bf16")
convs.conv(2, 22, 8, 130, 3, pad=1, element="bf16")
convs.conv(2, 18, 3, 16, 7, stride=2, pad=3, element="bf16")  # a stem
convs.conv(2, 7, 4, 12, 3, stride=2, pad=1, element="f16")
convs.conv(2, 7, 6, 12, 3, pad=1, dilation=2, element="bf16")
convs.conv(2, 7, 32, 16, 3, pad=1, groups=2, element="bf16")
convs.conv(1, 7, 12, 30, 3, stride=2, pad=1, groups=3, element="f16")
convs.conv(2, 5, 16, 24, 3, pad=1, spread=2, element="bf16")
convs.conv(2, 4, 12, 6, 3, pad=1, spread=2, groups=3, element="f16")
convs.conv(1, 5, 8, 6, 3, pad=1, stride=2, spread=3, element="bf16")  # zeros that no phase leaves out
convs.conv(2, 5, 16, 8, 1, spread=2, element="bf16")  # phases without a tap
convs.conv(1, 2, 520, 8, 3, pad=1, element="bf16")  # parts of a long sum
# Every channel by itself.
convs.conv(2, 7, 24, 24, 3, stride=2, pad=1, groups=24, element="bf16")
convs.conv(2, 5, 12, 12, 3, pad=1, spread=2, groups=12, element="f16")
convs.conv(1, 9, 5, 5, 5, pad=2, groups=5, element="bf16")
convs.conv(1, 5, 136, 136, 3, pad=1, dilation=2, groups=136, element="f16")
convs.conv(1, 5, 8, 8, 3, pad=1, stride=2, spread=3, groups=8, element="bf16")
convs.conv(1, 5, 8, 8, 1, spread=2, groups=8, element="f16")
convs.conv(3, 17, 8, 8, 7, pad=3, groups=8, element="bf16")
convs.conv(2, 5, 12, 12, 3, stride=2, pad=1, groups=12)
