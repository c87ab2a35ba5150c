# Prints kernel.attention and kernel.attention_grad ops of 16-bit numbers for matrix units, for ampc-kernel-run: every shape of tiles,
# edges, rows that start at multiples of 4, 8 and 16 bytes; "plain": those that have a reason to stay plain; "short": one; "whole": without
# edges.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
choice = sys.argv[1:]
sys.argv[1:] = []
with contextlib.redirect_stdout(io.StringIO()):
    from attention import attention

bf16, f16 = {"element": "bf16", "result": "bf16"}, {"element": "f16", "result": "f16"}
if choice == ["plain"]:
    attention(5, 9, 7, batch=1, **bf16)
    attention(5, 9, 8, layout="turned", batch=1, **f16)
    attention(3, 3, 258, batch=1, **bf16)
    attention(5, 9, 8, batch=1)
elif choice == ["short"]:
    attention(20, 35, 16, causal=True, batch=1, **bf16)
elif choice == ["whole"]:
    attention(128, 128, 80, batch=1, heads=1, **bf16)
else:
    attention(130, 150, 64, causal=True, batch=1, heads=1, **bf16)
    attention(64, 64, 32, batch=1, **f16)
    attention(33, 70, 80, layout="fused", bias="head", batch=1, heads=1, **bf16)
    attention(70, 33, 20, element="f16", causal=True, bias="row", batch=1)
    attention(140, 40, 128, layout="fused", bias="row", batch=1, heads=1, sole=True, **f16)
    attention(17, 40, 130, element="bf16", batch=1, heads=1)
    attention(20, 41, 256, causal=True, bias="head", batch=1, heads=1, **bf16)
