# Prints kernel.attention and kernel.attention_grad ops of 16-bit types for matrix units, for ampc-kernel-run: every tile shape, remainders,
# rows that start at multiples of 4, 8 and 16 bytes. Options:
#   plain         ops that must stay plain
#   short         a small op
#   whole         an op without remainders
#   widths N ...  causal ops of these widths, with and without a bias, at model sizes: to be assembled
#   many          sizes, widths, layouts and options combined at random (fixed seed)
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CPU/Inputs"))
choice, *widths = sys.argv[1:] or ["few"]
sys.argv[1:] = []
with contextlib.redirect_stdout(io.StringIO()):
    from attention import attention

bf16, f16 = {"element": "bf16", "result": "bf16"}, {"element": "f16", "result": "f16"}


def few():
    attention(130, 150, 64, causal=True, batch=1, heads=1, **bf16)
    attention(64, 64, 32, batch=1, **f16)
    attention(33, 70, 80, layout="fused", bias="head", batch=1, heads=1, **bf16)
    attention(70, 33, 20, element="f16", causal=True, bias="row", batch=1)
    attention(140, 40, 128, layout="fused", bias="row", batch=1, heads=1, sole=True, **f16)
    attention(17, 40, 130, element="bf16", batch=1, heads=1)
    attention(24, 40, 16, layout="shared", batch=1, **bf16)
    attention(20, 41, 256, causal=True, bias="head", batch=1, heads=1, **bf16)


def plain():
    attention(5, 9, 7, batch=1, **bf16)
    attention(5, 9, 8, layout="turned", batch=1, **f16)
    attention(3, 3, 258, batch=1, **bf16)
    attention(5, 9, 8, batch=1)


def many():
    random.seed(1)
    all_widths = [2, 6, 8, 16, 20, 24, 32, 40, 48, 64, 66, 72, 80, 88, 96, 112, 128, 130, 136, 160, 192, 200, 248, 256]
    for width in 2 * all_widths:
        queries, keys = random.choice([1, 5, 16, 31, 64, 65, 100, 130, 140]), random.choice([1, 7, 16, 33, 64, 65, 96, 128, 150])
        while queries * keys * width > 1.2e6:
            queries = max(1, queries // 2)
        element = random.choice(["bf16", "f16"])
        attention(queries, keys, width, layout=random.choice(["plain", "fused"]), element=element,
                  result=random.choice([element, element, "f32"]), causal=random.random() < 0.5,
                  bias=random.choice([None, None, "head", "row"]), batch=random.choice([1, 2]), heads=random.choice([1, 2]),
                  sole=random.random() < 0.2)


if choice == "few":
    few()
elif choice == "plain":
    plain()
elif choice == "many":
    many()
elif choice == "short":
    attention(20, 35, 16, causal=True, batch=1, **bf16)
elif choice == "whole":
    attention(128, 128, 80, batch=1, heads=1, **bf16)
elif choice == "widths":
    for width in map(int, widths):
        for bias in [None, "head"]:
            attention(1000, 1024, width, layout="fused", causal=True, bias=bias, **bf16)
