# Products whose ways are measured for the table of tiles, as kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import hashlib
import os

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLES = os.path.join(SOURCE, "lib", "Codegen", "NVPTX", "Product")


def revision():
    """Of all code that writes products: what was measured with other code says nothing of this one."""
    digest = hashlib.sha256()
    for part in ("", "Product", "Hopper"):
        folder = os.path.join(SOURCE, "lib", "Codegen", "NVPTX", part)
        for name in sorted(os.listdir(folder)):
            if name.endswith((".cpp", ".h")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()[:16]


def tensor(sizes, element):
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


def gemm(element, layout, m, n, k):
    """Weights' gradients (TN) stay f32; other results are rounded to 16 bits if their factors are. tf32: f32 rounded to it."""
    storage = "f32" if element == "tf32" else element
    out = "f32" if layout == "TN" or storage == "f32" else storage
    left, right = ("mk", "km")[layout[0] == "T"], ("kn", "nk")[layout[1] == "T"]
    size = {"m": m, "n": n, "k": k}
    types = [tensor([size[dim] for dim in side], storage) for side in (left, right)]
    maps = ", ".join(f"affine_map<(m, n, k) -> ({side[0]}, {side[1]})>" for side in (left, right))
    result, mode = tensor([m, n], out), " attributes {compute = [tf32, tf32]}" if element == "tf32" else ""
    name = f"gemm_{element}_{layout}_{m}_{n}_{k}"
    rounded = f"%o = arith.truncf %sum : f32 to {out}\n    kernel.yield %o : {out}" if out != "f32" else "kernel.yield %sum : f32"
    return name, f"""kernel.program @{name}(%x: {types[0]}, %w: {types[1]}) -> {result} {{
  %y = kernel.gemm %x, %w : {types[0]}, {types[1]} acc f32 maps [{maps}] space [{m}, {n}] depth {k} epilogue () maps [] -> [affine_map<(m, n) -> (m, n)>]{mode} {{
  ^bb0(%sum: f32):
    {rounded}
  }} : {result}
  kernel.return %y : {result}
}}
"""


BODIES = {  # arguments behind the sum, results, and the code; "rows": an argument with the layout of the result
    "gelu": (["columns f32"], ["bf16", "bf16"], """%0 = arith.addf %sum, %a : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.mulf %2, %2 : f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.mulf %4, %cube : f32
    %6 = arith.addf %2, %5 : f32
    %7 = arith.mulf %6, %scale : f32
    %8 = arith.mulf %2, %half : f32
    %9 = math.tanh %7 : f32
    %10 = arith.addf %9, %one : f32
    %11 = arith.mulf %8, %10 : f32
    %12 = arith.truncf %11 : f32 to bf16
    kernel.yield %1, %12 : bf16, bf16"""),
    "gelu_gradient": (["rows bf16"], ["bf16"], """%0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.mulf %1, %cube : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %3 : f32
    %5 = arith.mulf %4, %scale : f32
    %6 = math.tanh %5 : f32
    %7 = arith.mulf %1, %cubes : f32
    %8 = arith.addf %7, %one : f32
    %9 = arith.mulf %8, %scale : f32
    %10 = arith.mulf %6, %6 : f32
    %11 = arith.subf %one, %10 : f32
    %12 = arith.mulf %11, %9 : f32
    %13 = arith.mulf %0, %half : f32
    %14 = arith.mulf %13, %12 : f32
    %15 = arith.addf %6, %one : f32
    %16 = arith.mulf %15, %half : f32
    %17 = arith.addf %16, %14 : f32
    %18 = arith.truncf %sum : f32 to bf16
    %19 = arith.extf %18 : bf16 to f32
    %20 = arith.mulf %19, %17 : f32
    %21 = arith.truncf %20 : f32 to bf16
    kernel.yield %21 : bf16"""),
    "residual": (["columns f32", "rows f32"], ["f32"], """%0 = arith.addf %sum, %a : f32
    %1 = arith.addf %b, %0 : f32
    kernel.yield %1 : f32""")}


def body(kind, layout, m, n, k):
    """A product of bf16 with a body of a transformer's behind it."""
    inputs, results, text = BODIES[kind]
    left, right = ("mk", "km")[layout[0] == "T"], ("kn", "nk")[layout[1] == "T"]
    size = {"m": m, "n": n, "k": k}
    types = [tensor([size[dim] for dim in side], "bf16") for side in (left, right)]
    more = [tensor([n] if lies == "columns" else [m, n], element) for lies, element in map(str.split, inputs)]
    maps = [", ".join(f"affine_map<(m, n, k) -> ({side[0]}, {side[1]})>" for side in (left, right)),
            ", ".join("affine_map<(m, n) -> (n)>" if lies.startswith("columns") else "affine_map<(m, n) -> (m, n)>" for lies in inputs),
            ", ".join("affine_map<(m, n) -> (m, n)>" for _ in results)]
    outs = [tensor([m, n], element) for element in results]
    names = ["%x", "%w"] + [f"%in{i}" for i in range(len(more))]
    operands = ", ".join(f"{name}: {type}" for name, type in zip(names, types + more))
    arguments = "".join(f", %{letter}: {given.split()[1]}" for letter, given in zip("ab", inputs))
    returned = ", ".join(f"%y#{i}" for i in range(len(outs)))
    name = f"body_{kind}_{layout}_{m}_{n}_{k}"
    return name, f"""kernel.program @{name}({operands}) -> ({", ".join(outs)}) {{
  %y:{len(outs)} = kernel.gemm %x, %w : {types[0]}, {types[1]} acc f32 maps [{maps[0]}] space [{m}, {n}] depth {k} epilogue ({", ".join(names[2:])} : {", ".join(more)})
    maps [{maps[1]}] -> [{maps[2]}] {{
  ^bb0(%sum: f32{arguments}):
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %cube = arith.constant 4.471500e-02 : f32
    %cubes = arith.constant 1.341450e-01 : f32
    %scale = arith.constant 0.797884583 : f32
    {text}
  }} : {", ".join(outs)}
  kernel.return {returned} : {", ".join(outs)}
}}
"""


def conv(kind, images, side, channels, features, window, stride=1):
    """`kind`: conv or conv_filter, of square images in bf16, padded so that as many windows are left."""
    pad, out = window // 2, side // stride
    image, windows = [images, side, side, channels], [images, out, out, features]
    filter = [features, window, window, channels]
    rhs, space = (filter, windows) if kind == "conv" else (windows, filter)
    result = tensor(space, "bf16" if kind == "conv" else "f32")
    rounded = "%o = arith.truncf %sum : f32 to bf16\n    kernel.yield %o : bf16" if kind == "conv" else "kernel.yield %sum : f32"
    name = f"{kind}_{images}_{side}_{channels}_{features}_{window}_{stride}"
    return name, f"""kernel.program @{name}(%a: {tensor(image, "bf16")}, %b: {tensor(rhs, "bf16")}) -> {result} {{
  %r = kernel.{kind} %a, %b : {tensor(image, "bf16")}, {tensor(rhs, "bf16")} acc f32 strides [{stride}, {stride}] padding [{pad}, {pad}, {pad}, {pad}]
    dilations [1, 1] input_dilations [1, 1] groups 1 space {space} epilogue () maps [] -> [affine_map<(a, b, c, d) -> (a, b, c, d)>] {{
  ^bb0(%sum: f32):
    {rounded}
  }} : {result}
  kernel.return %r : {result}
}}
"""


def training(element, m, n, k):
    """A layer of m rows: forward, for its input, for its weights."""
    return [gemm(element, "NN", m, n, k), gemm(element, "NT", m, k, n), gemm(element, "TN", k, n, m)]


TOKENS = 16384  # of GPT-2
GPT2 = [(2304, 768), (768, 768), (3072, 768), (768, 3072), (50257, 768)]
CHAR_GPT = [(384, 128), (128, 128), (512, 128), (128, 512)]
# Pixels of a batch of 64, channels and features of the 1x1 convolutions of ResNet-50, which are products in these layouts.
PIXELS = [(200704, 64, 256), (200704, 256, 64), (50176, 128, 512), (50176, 512, 128), (12544, 256, 1024), (12544, 1024, 256), (3136, 512, 2048),
          (3136, 2048, 512)]
WINDOWS = [(56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 3), (7, 512, 512, 3), (224, 3, 64, 7, 2)]


def bodies():
    """Of GPT-2: what they cost behind products, and which way hides it best; no rows of tables."""
    return [body("gelu", "NN", TOKENS, 3072, 768), body("gelu_gradient", "NT", TOKENS, 3072, 768), body("residual", "NN", TOKENS, 768, 768),
            body("residual", "NN", TOKENS, 768, 3072)]


def everything():
    """Names and texts, the most valuable first."""
    all = []
    for n, k in GPT2:
        all += training("bf16", TOKENS, n, k)
    all.append(gemm("bf16", "NT", TOKENS, 50257, 768))  # by weights of the embedding
    for size in (4096, 8192):
        all += training("bf16", size, size, size)
    for pixels, channels, features in PIXELS:
        all += [gemm("bf16", "NT", pixels, features, channels), gemm("bf16", "TN", features, channels, pixels)]
    for shape in WINDOWS:
        all += [conv("conv", 64, *shape), conv("conv_filter", 64, *shape)]
    for n, k in CHAR_GPT:
        all += training("bf16", 2048, n, k)
    all.append(gemm("f16", "NN", 4096, 4096, 4096))
    all += training("tf32", 4096, 4096, 4096) + training("tf32", TOKENS, 768, 768)
    all += training("f32", 4096, 4096, 4096) + [gemm("f32", "NN", 2048, 512, 128)]
    return all + bodies()


def few():
    """What the interpreter runs in seconds."""
    return [gemm("bf16", "NT", 136, 72, 320), gemm("bf16", "TN", 64, 64, 77), gemm("tf32", "NN", 40, 72, 64), gemm("f32", "NN", 32, 48, 20),
            conv("conv", 1, 8, 16, 24, 3), body("gelu", "NN", 136, 72, 64)]
