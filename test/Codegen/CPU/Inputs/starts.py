# Kernels that differ in the start addresses of inputs, 18 of each kind on a tensor: rows by index, forwards and backwards, of widths that
# no vector divides; windows of a row next to the same columns of another tensor; sums of rows; strided rows. With 70 rows of 12 bytes, more
# than 16 rows start at each distance from 16 bytes. Products of slices with slices in their epilogue, convolutions with slices in their
# epilogue, attention of slices.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

COUNT = 18


def program(name, tensors, op, space, maps, result, result_map, body):
    """A kernel per entry of `maps`, which has a map per tensor."""
    types = ", ".join(tensors)
    letters = ["x", "y"][: len(tensors)]
    inputs, arguments = ", ".join("%" + x for x in letters), ", ".join(f"%{x}: {t}" for x, t in zip(letters, tensors))
    lines = []
    for i, each in enumerate(maps):
        wheres = ", ".join(f"affine_map<{where}>" for where in each)
        lines.append(f"  %{i} = {op}({inputs} : {types}) space {space} maps [{wheres}] -> [affine_map<{result_map}>] attributes {{test.tolerance = 1.0e-2}} {{\n"
                     f"{body}\n  }} : {result}")
    results, values = ", ".join([result] * len(maps)), ", ".join(f"%{i}" for i in range(len(maps)))
    print(f"kernel.program @{name}({arguments}) -> ({results}) {{\n" + "\n".join(lines) + f"\n  kernel.return {values} : {results}\n}}")


IDENTITY = {2: "(d0, d1) -> (d0, d1)", 3: "(d0, d1, d2) -> (d0, d1, d2)", 4: "(d0, d1, d2, d3) -> (d0, d1, d2, d3)"}


def kernels(name, arguments, result, lines):
    """A program of a kernel per line; `result`: the type of each."""
    results, values = ", ".join([result] * len(lines)), ", ".join(f"%{i}" for i in range(len(lines)))
    text = "\n".join(f"  %{i} = {line}" for i, line in enumerate(lines))
    print(f"kernel.program @{name}({arguments}) -> ({results}) {{\n{text}\n  kernel.return {values} : {results}\n}}")


def epilogue(tensor, map, result, element):
    return (f"epilogue(%c : {tensor}) maps [affine_map<{map}>] -> [affine_map<{IDENTITY[result.count('x')]}>] attributes {{test.tolerance = 1.0e-2}} {{\n"
            f"  ^bb0(%s: f32, %e: {element}):\n" + ("    %w = arith.extf %e : bf16 to f32\n    %t" if element == "bf16" else "    %t") +
            f" = arith.addf %s, %{'w' if element == 'bf16' else 'e'} : f32\n    kernel.yield %t : f32\n  }} : {result}")


def products(element, m, n, k):
    """Step t multiplies rows of %a by matrix t of %b, and adds rows of %c."""
    a, b, c = f"tensor<{COUNT * m}x{k}x{element}>", f"tensor<{COUNT}x{k}x{n}x{element}>", f"tensor<{COUNT * m}x{n}x{element}>"
    maps = [f"[affine_map<(d0, d1, d2) -> (d0 + {m * t}, d2)>, affine_map<(d0, d1, d2) -> ({t}, d2, d1)>]" for t in range(COUNT)]
    result = f"tensor<{m}x{n}xf32>"
    kernels(f"products_{element}_{m}", f"%a: {a}, %b: {b}, %c: {c}", result,
            [f"kernel.gemm %a, %b : {a}, {b} acc f32 maps {map} space [{m}, {n}] depth {k} " + epilogue(c, f"(d0, d1) -> (d0 + {m * t}, d1)", result, element) for t, map in enumerate(maps)])


def pairs(name, second):
    """Step t reads rows t and second(t) of one tensor."""
    x, result = f"tensor<{COUNT + 1}x24xf32>", "tensor<24xf32>"
    body = "  ^bb0(%e: f32, %f: f32):\n    %d = arith.subf %e, %f : f32\n    kernel.yield %d : f32\n  }"
    kernels(name, f"%x: {x}", result,
            [f"kernel.map(%x, %x : {x}, {x}) space [24] maps [affine_map<(d0) -> ({t}, d0)>, affine_map<(d0) -> ({second(t)}, d0)>] -> [affine_map<(d0) -> (d0)>] {{\n{body} : {result}"
             for t in range(COUNT)])


def convolutions():
    """All steps convolve one image, and add image t of %c."""
    a, b, c, result = "tensor<2x6x9x3xf32>", "tensor<5x3x3x3xf32>", f"tensor<{2 * COUNT}x6x9x5xf32>", "tensor<2x6x9x5xf32>"
    head = f"kernel.conv %a, %b : {a}, {b} acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1 space [2, 6, 9, 5] "
    kernels("convolutions", f"%a: {a}, %b: {b}, %c: {c}", result, [head + epilogue(c, f"(d0, d1, d2, d3) -> (d0 + {2 * t}, d1, d2, d3)", result, "f32") for t in range(COUNT)])


def attentions(element, width):
    """Query, key and value t are columns of rows 9 t to 9 t + 8."""
    a, result = f"tensor<2x{9 * COUNT}x{3 * width}x{element}>", f"tensor<2x9x{width}x{element}>"
    maps = [", ".join(f"affine_map<(d0, d1, d2) -> (d0, d1 + {9 * t}, d2 + {part * width})>" for part in range(3)) for t in range(COUNT)]
    kernels(f"attentions_{element}", f"%a: {a}", result,
            [f"kernel.attention(%a, %a, %a : {a}, {a}, {a}) acc f32 batch [2] queries 9 keys 9 width {width} scale 0.5 maps [{map}] -> [affine_map<{IDENTITY[3]}>] "
             f"{{test.tolerance = 1.0e-2}} : {result}" for map in maps])


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
    products("f32", 5, 7, 6)
    products("f32", 20, 48, 24)
    products("bf16", 20, 48, 64)
    convolutions()
    attentions("f32", 8)
    attentions("bf16", 16)
    pairs("neighbours", lambda t: t + 1)
    pairs("mirrored", lambda t: COUNT - 1 - t)


all_kinds()
