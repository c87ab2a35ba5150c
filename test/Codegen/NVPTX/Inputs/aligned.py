# Prints products of which tiles are full, for ampc-kernel-run.
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

for options in [dict(element="f16"), dict(mode="tf32"), dict()]:
    for layout in ["NN", "NT", "TN", "TT"]:
        gemm(128, 128, 64, layout, **options)
convs.conv(4, 13, 64, 64, 3, pad=1, element="bf16")
