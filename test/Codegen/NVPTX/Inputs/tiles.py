# Prints kernel.gemm ops that take every shape of tiles, for ampc-kernel-run: layouts, edges, lines that start anywhere.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
with contextlib.redirect_stdout(io.StringIO()):
    from gemms import gemm

gemm(1536, 1408, 40, "NN", element="bf16", result="bf16", body="bias")
gemm(1408, 1409, 24, "NT", element="bf16", result="bf16")
gemm(1409, 1536, 33, "TN", element="f16", body="plain")
gemm(1100, 900, 38, "NN", element="bf16", result="bf16", body="full")
gemm(900, 1100, 40, "TT", element="f16", result="f16", body="bias")
for layout in ["NN", "NT", "TN", "TT"]:
    gemm(70, 75, 52, layout, mode="tf32", body="bias")
    gemm(136, 72, 48, layout, mode="tf32", body="full")
gemm(1100, 1000, 20, "TN", mode="tf32")
gemm(33, 40, 28, "NN", batch=(3,), mode="tf32")
# Without matrix units, in large tiles.
gemm(1300, 1281, 18, "TN", body="bias")
