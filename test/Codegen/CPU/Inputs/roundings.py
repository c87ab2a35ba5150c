# Prints kernels whose results are the losses of rounding to 16 bits, for ampc-kernel-run: exact in f32, and 0 if rounding was left out.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
ROWS, POINTS = "affine_map<(d0, d1) -> (d0)>", "affine_map<(d0, d1) -> (d0, d1)>"


def lost(name, value, half):
    """The part of `value` that rounding removes."""
    return f"""
    %{name}n = arith.truncf {value} : f32 to {half}
    %{name}w = arith.extf %{name}n : {half} to f32
    %{name} = arith.subf {value}, %{name}w : f32"""


def program(name, inputs, results, kernel):
    returned = ", ".join(f"%r#{i}" for i in range(len(results)))
    arguments = ", ".join(f"%i{i}: {type}" for i, type in enumerate(inputs))
    print(f"""kernel.program @{name}({arguments}) -> ({", ".join(results)}) {{
  %r:{len(results)} = {kernel} : {", ".join(results)}
  kernel.return {returned} : {", ".join(results)}
}}""")


def points(name, half, rows, columns, turned=False):
    """Without reductions; a turned input goes through squares of vectors."""
    size, other = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}x{rows}xf32>"
    read = "affine_map<(d0, d1) -> (d1, d0)>" if turned else POINTS
    program(f"{name}_{half}", [other if turned else size], [size], f"""kernel.map(%i0 : {other if turned else size}) space [{rows}, {columns}]
      maps [{read}] -> [{POINTS}] attributes {{test.tolerance = 0.0}} {{
  ^bb0(%x: f32):{lost("a", "%x", half)}
    kernel.yield %a : f32
  }}""")


def ties(name, half):
    """Whole numbers of both signs: odd numbers from 256 (bf16) or 2048 (f16) on lie in the middle between two neighbours."""
    size = "tensor<41x101xi1>"
    program(f"{name}_{half}", [size], ["tensor<41x101xf32>"], f"""kernel.map(%i0 : {size}) space [41, 101]
      maps [{POINTS}] -> [{POINTS}] attributes {{test.tolerance = 0.0}} {{
  ^bb0(%negative: i1):
    %i = kernel.linear_index
    %up = arith.sitofp %i : i32 to f32
    %down = arith.negf %up : f32
    %x = arith.select %negative, %down, %up : f32{lost("a", "%x", half)}
    kernel.yield %a : f32
  }}""")


def rows(name, half, rows, columns):
    """Rounding before a reduction along the row, of the reduction's result, and behind the reduction."""
    size, column = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    program(f"{name}_{half}", [size], [size, size, column, column], f"""kernel.map(%i0 : {size}) space [{rows}, {columns}]
      maps [{POINTS}] -> [{POINTS}, {POINTS}, {ROWS}, {ROWS}] attributes {{test.tolerance = 0.0}} {{
  ^bb0(%x: f32):{lost("a", "%x", half)}
    %m = kernel.row_reduce max %a : f32
    %most = kernel.row_reduce max %x : f32{lost("u", "%most", half)}
    %quarter = arith.constant 0.25 : f32
    %least = arith.mulf %most, %quarter : f32
    %y = arith.minimumf %x, %least : f32{lost("b", "%y", half)}
    kernel.yield %a, %b, %m, %u : f32, f32, f32, f32
  }}""")


def sums(name, half, reduced, inner):
    """In the body of a reduction over rows."""
    size, result = f"tensor<{reduced}x{inner}xf32>", f"tensor<{inner}xf32>"
    program(f"{name}_{half}", [size], [result], f"""kernel.reduce max (%i0 : {size}) space [1, {reduced}, {inner}]
      maps [affine_map<(d0, d1, d2) -> (d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d2)>] attributes {{test.tolerance = 0.0}} {{
  ^bb0(%x: f32):{lost("a", "%x", half)}
    kernel.yield %a : f32
  }}""")


def product(name, half):
    """Behind a product: every f16, times one, times 1 + 2^-10, which f32 holds."""
    program(f"{name}_{half}", ["tensor<2048x32xf16>", "tensor<32x32xf16>"], ["tensor<2048x32xf32>"],
            f"""kernel.gemm %i0, %i1 : tensor<2048x32xf16>, tensor<32x32xf16> acc f32
    maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>] space [2048, 32] depth 32
    epilogue () maps [] -> [{POINTS}] attributes {{test.halves = "finite", test.tolerance = 0.0}} {{
  ^bb0(%sum: f32):
    %more = arith.constant 1.0009765625 : f32
    %x = arith.mulf %sum, %more : f32{lost("a", "%x", half)}
    kernel.yield %a : f32
  }}""")


for half in ("bf16", "f16"):
    points("points", half, 5, 45)
    points("single", half, 3, 1)
    points("turned", half, 37, 53, turned=True)
    for name, columns in (("one", 1), ("tail", 13), ("vectors", 77), ("ways", 515)):
        rows("rows_" + name, half, 7, columns)
    sums("columns", half, 19, 37)
    sums("number", half, 515, 1)
    product("product", half)
    ties("ties", half)
