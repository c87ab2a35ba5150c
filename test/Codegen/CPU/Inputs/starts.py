# Kernels that differ in the start addresses of inputs, 18 of each kind on a tensor: rows by index, forwards and backwards, of widths that
# no vector divides; windows of a row next to the same columns of another tensor; sums of rows; strided rows. With 70 rows of 12 bytes, more
# than 16 rows start at each distance from 16 bytes. With a number: as many kernels that read a state, and as many that read the random
# state.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

COUNT = 18


def program(name, tensors, op, space, maps, result, result_map, body, attributes=""):
    """A kernel per entry of `maps`, which has a map per tensor."""
    types = ", ".join(tensors)
    letters = ["x", "y"][: len(tensors)]
    inputs, arguments = ", ".join("%" + x for x in letters), ", ".join(f"%{x}: {t}{attributes}" for x, t in zip(letters, tensors))
    lines = []
    for i, each in enumerate(maps):
        wheres = ", ".join(f"affine_map<{where}>" for where in each)
        lines.append(f"  %{i} = {op}({inputs} : {types}) space {space} maps [{wheres}] -> [affine_map<{result_map}>] attributes {{test.tolerance = 1.0e-2}} {{\n"
                     f"{body}\n  }} : {result}")
    results, values = ", ".join([result] * len(maps)), ", ".join(f"%{i}" for i in range(len(maps)))
    print(f"kernel.program @{name}({arguments}) -> ({results}) {{\n" + "\n".join(lines) + f"\n  kernel.return {values} : {results}\n}}")


def states(count):
    print('module attributes {kernel.target = "cpu"} {\ntrain.model @m {\n  train.buffer @drawn : tensor<20xi64> = #train.zeros as random\n'
          "  train.buffer @read : tensor<20xi64> = #train.zeros\n}")
    for name in ("drawn", "read"):
        maps = [[f"(d0) -> (d0 + {i})"] for i in range(count)]
        program(name, ["tensor<20xi64>"], "kernel.map", "[2]", maps, "tensor<2xi64>", "(d0) -> (d0)", "  ^bb0(%e: i64):\n    kernel.yield %e : i64", f" {{train.is = #train.state<@{name}>}}")
    print("}")


def all_kinds():
    for element, columns in {"f32": 3, "f64": 5, "bf16": 8, "f16": 5, "i32": 16, "i8": 7, "i1": 9}.items():
        body = f"  ^bb0(%e: {element}):\n    kernel.yield %e : {element}"
        count = 70 if element == "f32" else COUNT
        tensor = f"tensor<3x{count}x{columns}x{element}>"
        rows = [[f"(d0, d1) -> (d0, {i}, d1)"] for i in range(count)]
        program(f"rows_{element}", [tensor], "kernel.map", f"[3, {columns}]", rows, f"tensor<3x{columns}x{element}>", "(d0, d1) -> (d0, d1)", body)
        program(f"turned_{element}", [tensor], "kernel.map", f"[3, {columns}]", rows[::-1], f"tensor<{columns}x3x{element}>", "(d0, d1) -> (d1, d0)", body)
    body = "  ^bb0(%e: f32, %f: bf16):\n    %w = arith.extf %f : bf16 to f32\n    %s = arith.addf %e, %w : f32\n    kernel.yield %s : f32"
    windows = [[f"(d0, d1) -> (d0, d1 + {i})", f"(d0, d1) -> (d0 + {2 * i}, d1)"] for i in range(COUNT)]
    program("windows", [f"tensor<5x{40 + COUNT}xf32>", f"tensor<{5 + 2 * COUNT}x40xbf16>"], "kernel.map", "[5, 40]", windows, "tensor<5x40xf32>", "(d0, d1) -> (d0, d1)", body)
    body = "  ^bb0(%e: f32):\n    kernel.yield %e : f32"
    sums = [[f"(d0, d1, d2) -> (d1, {i}, d2)"] for i in range(COUNT)]
    program("sums", [f"tensor<70x{COUNT}x24xf32>"], "kernel.reduce sum ", "[1, 70, 24]", sums, "tensor<24xf32>", "(d0, d1, d2) -> (d2)", body)
    steps = [[f"(d0, d1) -> (d0 floordiv 2, d1 + {i})"] for i in range(COUNT)]
    program("steps", [f"tensor<4x{COUNT + 6}xf32>"], "kernel.map", "[8, 6]", steps, "tensor<8x6xf32>", "(d0, d1) -> (d0, d1)", body)


states(int(sys.argv[1])) if len(sys.argv) > 1 else all_kinds()
