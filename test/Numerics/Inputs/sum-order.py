# Sums beside a model of their order in NumPy, bit for bit: sum-order.py model|kernels [SEED COUNT] | run LIBRARY.so [SEED COUNT]
# The order is that of docs/numerics.md. `kernels` prints the same sizes for ampc-kernel-run. Without a seed: the edges of blocks and chunks.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import random
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../Oracle"))
from model import Model, array

EDGES = [1, 2, 15, 16, 17, 31, 100, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 700, 768, 1024, 1100]


def cases(seed=None, count=0):
    """(kind, shape): sums of rows [rows, columns], of columns, of everything, and norms of rows."""
    if seed is None:
        found = [("rows", (3, n)) for n in EDGES + [8191, 8192, 8193, 40000]]
        found += [("columns", (n, 5)) for n in EDGES + [4097]] + [("columns", (n, 77)) for n in (17, 256, 513, 1025)]
        found += [("columns", (33, 2100)), ("columns", (4999, 3)), ("all", (300, 701)), ("all", (1, 131073))]
        return found + [("norm", (2, n)) for n in EDGES[2:] + [2048, 8200, 20001]]
    draw, found = random.Random(seed), []
    for _ in range(count):
        kind = draw.choice(["rows", "columns", "all", "norm"])
        long, short = draw.choice([draw.randint(1, 1100), draw.randint(1, 5000), draw.randint(1, 40) * 256 + draw.randint(-1, 1)]), draw.randint(1, 40)
        found.append((kind, (long, short) if kind == "columns" else (short, long)))
    return found


def tree(x):
    """A tree over the first axis: number i and number i + h are added for h = p / 2, p / 4, ..., 1; missing numbers are left out."""
    half = 1 << max(len(x) - 1, 0).bit_length()
    while half > 1:
        half //= 2
        pairs = max(len(x) - half, 0)
        x = np.concatenate([x[:pairs] + x[half:half + pairs], x[pairs:half]])
    return x[0]


def in_order(rows, like):
    total = np.zeros_like(like)
    for row in rows:
        total = total + row
    return total


def column_sums(x):
    """[rows, columns]: trees over 16 rows, in order within chunks of 256, a tree over chunks."""
    chunks = [in_order([tree(chunk[i:i + 16]) for i in range(0, len(chunk), 16)], x[0]) for chunk in (x[i:i + 256] for i in range(0, len(x), 256))]
    return tree(np.stack(chunks))


def row_sum(x):
    """[columns]: every 512th element in order, a tree over the 512 sums, a tree over chunks of 8192."""

    def chunk_sum(chunk):
        lines = np.zeros(-(-len(chunk) // 512) * 512, x.dtype)  # sums start with +0: a further +0 changes nothing
        lines[:len(chunk)] = chunk
        return tree(in_order(lines.reshape(-1, 512), lines[:512]))

    return tree(np.stack([chunk_sum(x[i:i + 8192]) for i in range(0, len(x), 8192)]))


def expected(kind, x):
    if kind == "rows":
        return np.stack([row_sum(row) for row in x])
    if kind == "columns":
        return column_sums(x) if x.shape[1] > 1 else row_sum(x[:, 0]).reshape(1)
    if kind == "all":
        return row_sum(x.reshape(-1)).reshape(1)
    scale = np.stack([np.float32(1) / np.sqrt(row_sum(row * row) / np.float32(x.shape[1]) + np.float32(1)) for row in x])
    return x * scale[:, None]


def print_model(found):
    print("train.model @sums {")
    for i, (kind, (rows, columns)) in enumerate(found):
        result = {"rows": f"{rows}x", "columns": f"{columns}x", "all": "", "norm": f"{rows}x{columns}x"}[kind]
        source, result = f"tensor<{rows}x{columns}xf32>", f"tensor<{result}f32>"
        over = {"rows": "[1]", "columns": "[0]", "all": "[0, 1]"}.get(kind)
        body = f"%0 = train.reduce_sum %x over {over} : {source}"
        if kind == "norm":
            body = f"""%g = train.constant dense<1.0> : tensor<{columns}xf32>
    %0 = train.rms_norm %x, %g eps 1.0 : {source}, tensor<{columns}xf32>"""
        print(f"""  train.func @f{i}(%x: {source}) -> {result} {{
    {body}
    train.return %0 : {result}
  }}
  train.export @f{i} as "f{i}\"""")
    print("}")


def print_kernels(found):
    for i, (kind, (rows, columns)) in enumerate(found):
        if kind == "norm":
            point, place = "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"
            print(f"""kernel.program @k{i}(%x: tensor<{rows}x{columns}xf32>) -> (tensor<{rows}xf32>, tensor<{rows}x{columns}xf32>) {{
  %r:2 = kernel.map(%x : tensor<{rows}x{columns}xf32>) space [{rows}, {columns}] maps [affine_map<{point}>] -> [affine_map<{place}>, affine_map<{point}>] attributes {{test.tolerance = 1.0e-3}} {{
  ^bb0(%a: f32):
    %s = kernel.row_reduce sum %a : f32
    %q = arith.mulf %a, %s : f32
    kernel.yield %s, %q : f32, f32
  }} : tensor<{rows}xf32>, tensor<{rows}x{columns}xf32>
  kernel.return %r#0, %r#1 : tensor<{rows}xf32>, tensor<{rows}x{columns}xf32>
}}""")
            continue
        space = {"rows": [rows, columns, 1], "columns": [1, rows, columns], "all": [1, rows * columns, 1]}[kind]
        source, result = f"tensor<{'x'.join(map(str, space))}xf32>", f"tensor<{space[0]}x{space[2]}xf32>"
        print(f"""kernel.program @k{i}(%x: {source}) -> {result} {{
  %r = kernel.reduce sum(%x : {source}) space {space} maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d2)>] attributes {{test.tolerance = 1.0e-3}} {{
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }} : {result}
  kernel.return %r : {result}
}}""")


def run(library, found):
    values, failed = np.random.default_rng(7), 0
    for threads in (1, 3):
        model = Model(library, "sums", threads=threads)
        for i, (kind, shape) in enumerate(found):
            # Magnitudes far apart: another order has other bits.
            x = (values.standard_normal(shape) * np.exp2(values.integers(-8, 9, shape))).astype(np.float32)
            right = expected(kind, x)
            out = array("f32", [0] * right.size)
            model.run(f"f{i}", [array("f32", x.reshape(-1).tolist())], [out])
            differ = np.count_nonzero(np.array(out, np.float32).view(np.int32) != right.astype(np.float32).reshape(-1).view(np.int32))
            if differ:
                print(f"{kind} of {shape}, {threads} threads: {differ} of {right.size} differ")
            failed += differ > 0
    print(f"{len(found)} sums, {failed} differ")


mode, *rest = sys.argv[1:]
library = rest.pop(0) if mode == "run" else None
chosen = cases(*map(int, rest))
print_model(chosen) if mode == "model" else print_kernels(chosen) if mode == "kernels" else run(library, chosen)
