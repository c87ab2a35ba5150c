# The table of docs/gpu-counters.md: counters of the PTX interpreter for kernels at shapes of models.
# counters.py [PAGE.md [--update]]: prints the rows, compares them with the table in the page, or writes it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../.."))
from page_table import PageTable, row_of

def generated(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(here, script), *arguments], check=True, capture_output=True, text=True).stdout

def gemm(name, m, n, k, left, right, plan=None):
    """bf16, with the dimensions of each side in the order of memory; `plan`: members of #kernel.plan."""
    size = {"m": m, "n": n, "k": k}
    type = lambda dims: f"tensor<{size[dims[0]]}x{size[dims[1]]}xbf16>"
    map = lambda dims: f"affine_map<(m, n, k) -> ({dims[0]}, {dims[1]})>"
    result = f"tensor<{m}x{n}xbf16>"
    attributes = f" attributes {{plan = #kernel.plan<{plan}>}}" if plan else ""
    useful[name] = 2 * m * n * k
    return f"""kernel.program @{name}(%x: {type(left)}, %w: {type(right)}) -> {result} {{
  %y = kernel.gemm %x, %w : {type(left)}, {type(right)} acc f32 maps [{map(left)}, {map(right)}] space [{m}, {n}] depth {k} epilogue () maps [] -> [affine_map<(m, n) -> (m, n)>]{attributes} {{
  ^bb0(%sum: f32):
    %o = arith.truncf %sum : f32 to bf16
    kernel.yield %o : bf16
  }} : {result}
  kernel.return %y : {result}
}}
"""

def conv(name, images, size, channels, outputs):
    """bf16, of 3 x 3 taps and padding."""
    image, filter = f"tensor<{images}x{size}x{size}x{channels}xbf16>", f"tensor<{outputs}x3x3x{channels}xbf16>"
    result = f"tensor<{images}x{size}x{size}x{outputs}xbf16>"
    useful[name] = 2 * images * size * size * outputs * 9 * channels
    return f"""kernel.program @{name}(%x: {image}, %w: {filter}) -> {result} {{
  %y = kernel.conv %x, %w : {image}, {filter} acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1] groups 1
      space [{images}, {size}, {size}, {outputs}] epilogue () maps [] -> [affine_map<(n, y, x, c) -> (n, y, x, c)>] {{
  ^bb0(%sum: f32):
    %o = arith.truncf %sum : f32 to bf16
    kernel.yield %o : bf16
  }} : {result}
  kernel.return %y : {result}
}}
"""

def adamw(rows, columns):
    """The update that the compiler makes of a parameter with a working copy in bf16: the kernel with four results."""
    model = f"""train.model @m {{
  train.param @w : tensor<{rows}x{columns}xf32> = #train.zeros
  train.func @loss(%x: tensor<1x{rows}xf32>, %y: tensor<1x{columns}xf32>) -> tensor<f32> {{
    %w = train.read @w : tensor<{rows}x{columns}xf32>
    %p = train.matmul %x, %w : (tensor<1x{rows}xf32>, tensor<{rows}x{columns}xf32>) -> tensor<1x{columns}xf32>
    %l = train.mse %p, %y : tensor<1x{columns}xf32>, tensor<1x{columns}xf32>
    train.return %l : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.adamw<lr = 0.001>
}}"""
    kernels = subprocess.run(["ampc", "compile", "-", "--target=sm_80", "--precision=bf16", "--compile-to=kernels"], input=model, check=True,
                             capture_output=True, text=True).stdout
    aliases = dict(re.findall(r"^(#map\d*) = (affine_map<.*>)$", kernels, re.M))
    kernels = re.sub(r"#map\d*\b", lambda found: aliases[found.group()], re.sub(r" attributes \{train.origins[^}]*\}| loc\([^)]*\)", "", kernels))
    operands, types, body, results = re.search(r"%\d+:4 = kernel\.map\(([^:]*) : (.*?)\)( space .*?\n    \}) : (.*)", kernels, re.S).groups()
    results = results.split("\n")[0]
    names = [f"%i{n}" for n in range(len(operands.split(", ")))]
    types = types.split(", ")
    return f"""kernel.program @adamw({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> ({results}) {{
    %r:4 = kernel.map({', '.join(names)} : {', '.join(types)}){body} : {results}
    kernel.return %r#0, %r#1, %r#2, %r#3 : {results}
}}
"""

tables = """
kernel.program @gather_bf16(%t: tensor<1000x768xbf16>, %i: tensor<512xi32>) -> tensor<512x768xbf16> {
  %r = kernel.gather %t, %i {test.limit = 1000} : tensor<1000x768xbf16>, tensor<512xi32> -> tensor<512x768xbf16>
  kernel.return %r : tensor<512x768xbf16>
}
kernel.program @scatter_add_bf16(%u: tensor<1024x256xbf16>, %i: tensor<1024xi32>) -> tensor<2000x256xf32> {
  %r = kernel.scatter_add %u, %i {test.limit = 2000} : tensor<1024x256xbf16>, tensor<1024xi32> -> tensor<2000x256xf32>
  kernel.return %r : tensor<2000x256xf32>
}
kernel.program @sort_by_key(%i: tensor<8192xi32>) -> (tensor<8192xi32>, tensor<8192xi32>, tensor<8193xi32>) {
  %r:3 = kernel.sort_by_key %i of 50257 {test.limit = 50257} : tensor<8192xi32> -> tensor<8192xi32>, tensor<8192xi32>, tensor<8193xi32>
  kernel.return %r#0, %r#1, %r#2 : tensor<8192xi32>, tensor<8192xi32>, tensor<8193xi32>
}
"""

def ratio(part, whole):
    return f"{part / whole:.2f}" if whole else ""

def row(line):
    words = line.split()
    name = words[0]
    number = {words[i]: int(words[i + 1]) for i in (1, 3, 5, 8, 11, 14, 16, 18, 20)}
    loads, stores, waves = int(words[7]), int(words[10]), int(words[13])
    moved, touched = 32 * (number["loads"] + number["stores"]), 32 * (number["read"] + number["written"])
    cells = [f"`{name}`", number["launches"], ratio(touched, number["bytes"]), ratio(moved, number["bytes"]), ratio(number["loads"], loads), ratio(number["stores"], stores),
             ratio(number["waves"], waves), ratio(number["tensor"], useful.get(name, 0)), f"{touched / parameters:.2f}" if name == "adamw" else ""]
    return row_of(cells)

useful = {}
parameters = 1 << 21
text = generated("rows.py", "counters") + generated("reduces.py", "counters") + tables + adamw(parameters >> 10, 1 << 10)
text += gemm("gemm_nn", 256, 256, 128, "mk", "kn") + gemm("gemm_nt", 256, 256, 128, "mk", "nk") + gemm("gemm_tn", 256, 256, 128, "km", "kn")
text += gemm("gemm_edges", 200, 1021, 104, "mk", "nk")
text += conv("conv", 4, 16, 64, 64)
warpgroups = gemm("gemm_warpgroups", 256, 256, 128, "mk", "kn") + gemm("gemm_gathered", 256, 256, 131, "mk", "kn", "wgmma, m = 64, n = 256") + conv("conv_gathered", 4, 16, 64, 64)

def count(chip, text):
    return subprocess.run(["ampc-kernel-run", f"--target={chip}", "--counters", "-"], input=text, check=True, capture_output=True, text=True).stdout

lines = count("sm_80", text) + count("sm_90a", warpgroups)
head = ["kernel", "launches", "bytes touched", "bytes accessed", "loads", "stores", "shared memory", "tensor FLOPs", "bytes a parameter"]
rows = [row(line) for line in lines.splitlines()]
if len(sys.argv) < 2:
    print("\n".join(rows))
    sys.exit()
table = PageTable(sys.argv[1], "counters")
if sys.argv[2:] == ["--update"]:
    table.write(head, rows)
    sys.exit()
sys.exit(table.differs(rows, "kernels"))
