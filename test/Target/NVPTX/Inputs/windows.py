# Prints kernel.conv ops of 16-bit numbers for matrix units, for ampc-kernel-run: strides, dilations, padding, edges of tiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    import convs

kernel = convs.kernel
convs.kernel = lambda name, *arguments, **options: name == "conv" and kernel(name, *arguments, **options)
convs.conv(2, 6, 16, 10, 3, pad=1, element="bf16")
convs.conv(3, 9, 24, 72, 3, stride=2, pad=1, element="f16")
convs.conv(2, 9, 8, 33, 3, dilation=2, pad=2, element="bf16")
convs.conv(5, 5, 40, 12, 1, element="f16")
convs.conv(1, 13, 8, 20, 5, stride=3, pad=2, element="bf16")
convs.conv(16, 24, 8, 130, 3, pad=1, element="bf16")
