# Prints reductions over rows and columns, few and many, for ampc-kernel-run.
# With the argument `counters`: reductions whose counters are in docs/gpu-counters.md.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

def reduce(name, space, type, sums="f32", squares=False):
    """A sum of [outer, reduced, inner] over the middle; with `squares` the sum of squares, too."""
    outer, reduced, width = space
    tensor = f"tensor<{outer}x{reduced}x{width}x{type}>"
    result = f"tensor<{outer}x{width}x{sums}>"
    count = 2 if squares else 1
    all, kept = "affine_map<(d0, d1, d2) -> (d0, d1, d2)>", "affine_map<(d0, d1, d2) -> (d0, d2)>"
    wide = f"%w = arith.extf %a : {type} to {sums}" if type != sums else f"%w = arith.addf %a, %zero : {sums}"
    print(f"""kernel.program @{name}(%x: {tensor}) -> ({', '.join([result] * count)}) {{
  %r:{count} = kernel.reduce sum(%x : {tensor}) space [{outer}, {reduced}, {width}] maps [{all}] -> [{', '.join([kept] * count)}] attributes {{test.tolerance = 1.0e-4}} {{
  ^bb0(%a: {type}):
    %zero = arith.constant 0.0 : {sums}
    {wide}
    %q = arith.mulf %w, %w : {sums}
    kernel.yield {', '.join(['%w', '%q'][:count])} : {', '.join([sums] * count)}
  }} : {', '.join([result] * count)}
  kernel.return {', '.join(f'%r#{n}' for n in range(count))} : {', '.join([result] * count)}
}}""")

if sys.argv[1:] == ["counters"]:
    reduce("bias_gradient_bf16", (1, 1024, 1600), "bf16")
    reduce("channel_sums_f32", (1, 16384, 16), "f32", squares=True)
    reduce("sum_of_squares_f32", (1, 1 << 18, 1), "f32", squares=True)
    sys.exit()

# Columns by blocks: vectors, single columns, rows that are left, sums of doubles.
reduce("columns", (1, 61, 256), "bf16")
reduce("columns_batch", (3, 37, 24), "f32", squares=True)
reduce("columns_f64", (1, 300, 70), "f64", sums="f64")
reduce("chunks16", (1, 2051, 16), "bf16")
reduce("chunks37", (2, 700, 37), "f32", squares=True)
reduce("chunks128", (1, 1100, 128), "f32")
reduce("chunks_f64", (1, 900, 12), "f32", sums="f64")
# By threads: at most as many rows as a thread adds.
reduce("few_rows", (2, 9, 24), "f32")
# Rows by groups of threads, and long rows by blocks; several levels of chunks.
reduce("rows", (70, 200, 1), "bf16")
reduce("odd_rows", (5, 1043, 1), "f32")
reduce("long_rows", (3, 6181, 1), "f32", squares=True)
reduce("aligned_rows", (2, 1 << 14, 1), "bf16")
reduce("long_f64", (1, 5000, 1), "f64", sums="f64")
reduce("levels", (1, 70 * 8192 + 3, 1), "bf16")
