# Prints a product of every form and kind of copies, for large tiles, for ampc-kernel-run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    from gemms import gemm
    import convs

for layout in ["NN", "NT", "TN"]:  # rows of a vocabulary, which start anywhere
    gemm(2048, 768, 50257, layout, element="bf16", result="bf16", body="bias")
    gemm(50257, 768, 2048, layout, element="f16", body="full")
    gemm(2048, 2048, 1024, layout, mode="tf32", body="full")
    gemm(2048, 2048, 1023, layout, body="full")
gemm(2048, 2048, 1024, "NN", element="bf16", result="bf16", body="full")
sys.argv[1:] = []
convs.conv(32, 224, 3, 64, 7, stride=2, pad=3, element="bf16")
convs.conv(32, 56, 64, 128, 3, pad=1, element="f16")
convs.conv(32, 56, 64, 128, 3, pad=1, spread=2, element="bf16")
convs.conv(32, 14, 12, 128, 3, pad=1, stride=2, spread=3, element="bf16")
convs.conv(32, 14, 512, 512, 3, pad=1, groups=32, element="bf16")
convs.conv(32, 14, 512, 512, 3, pad=1, groups=512, element="bf16")
convs.conv(32, 14, 255, 255, 5, pad=2, groups=255, element="f16")
convs.conv(32, 56, 64, 128, 3, pad=1)
