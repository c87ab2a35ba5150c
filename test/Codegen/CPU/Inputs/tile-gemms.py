# Prints products for amx-loops.test.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io

with contextlib.redirect_stdout(io.StringIO()):
    import gemms
gemms.number = 0
gemms.gemm(64, 96, 480, "NN", element="bf16")
gemms.gemm(64, 96, 480, "TN", element="bf16")
gemms.gemm(64, 96, 480, "NN", element="f16")
gemms.gemm(12, 128, 480, "NT", element="bf16")
gemms.gemm(256, 256, 1024, "NN", element="bf16", body="bias")
