# shared-chain.py KIND STEPS [onnx]: STEPS steps that use the previous value twice, then rows of several kinds and a mean over both
# dimensions. Prints a model, or the text of an ONNX file for protoc. Kind "table" doubles a table before rows are looked up; "choices" and
# "totals" are bodies of kernels.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

kind, steps = sys.argv[1], int(sys.argv[2])
if kind == "table":
    doubled = "".join(f"    %t{i + 1} = train.add %t{i}, %t{i}\n" for i in range(steps))
    print(f"""train.model @table(batch = 4) {{
  train.param @t0 : f32[100, 8] = #train.ones
  train.func @loss(%i: i32[batch]) {{
    %t0 = train.read @t0
{doubled}    %e = train.embedding %t{steps} at %i
    %l = train.reduce_mean %e over [0, 1]
    train.return %l
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}}""")
    sys.exit()
if kind == "choices":  # of numbers that were widened, over and over
    chosen = "".join(f"      %c{i + 1} = arith.select %is, %c{i}, %c{i} : f32\n" for i in range(steps))
    print(f"""#id = affine_map<(d0) -> (d0)>
kernel.program @choices(%x: tensor<8xbf16>, %m: tensor<8xi1>) -> (tensor<8xf32>) {{
  %0 = kernel.map(%x, %m : tensor<8xbf16>, tensor<8xi1>) space [8] maps [#id, #id] -> [#id] {{
    ^bb0(%a: bf16, %is: i1):
      %c0 = arith.extf %a : bf16 to f32
{chosen}      kernel.yield %c{steps} : f32
  }} : tensor<8xf32>
  %1 = kernel.map(%0 : tensor<8xf32>) space [8] maps [#id] -> [#id] {{
    ^bb0(%a: f32):
      %b = arith.mulf %a, %a : f32
      kernel.yield %b : f32
  }} : tensor<8xf32>
  kernel.return %1 : tensor<8xf32>
}}""")
    sys.exit()
if kind == "totals":
    powers = "".join(f"    %p{i + 1} = arith.mulf %p{i}, %p{i} : f32\n" for i in range(steps))
    print(f"""#id = affine_map<(d0) -> (d0)>
kernel.program @totals(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<1xf32>) {{
  %0:2 = kernel.fused_reduction(%x : tensor<8xf32>) of {{
  ^bb0(%a: tensor<8xf32>):
    %y = kernel.map(%a : tensor<8xf32>) space [8] maps [#id] -> [#id] {{
    ^bb0(%e: f32):
      kernel.yield %e : f32
    }} : tensor<8xf32>
    kernel.yield %y : tensor<8xf32>
  }} sum {{
  ^bb0(%p0: f32):
{powers}    kernel.yield %p{steps} : f32
  }} : tensor<8xf32>, tensor<1xf32>
  kernel.return %0#0, %0#1 : tensor<8xf32>, tensor<1xf32>
}}""")
    sys.exit()
lines, last = [], "x0"


def text(name, op, *operands):
    lines.append(f"    %{name} = train.{op} " + ", ".join(f"%{operand}" for operand in operands))


def onnx(name, op, *operands):
    kinds = {"sin": "Sin", "mul": "Mul", "add": "Add", "sub": "Sub", "softmax": "Softmax", "square": "Mul"}
    operands = operands * 2 if op == "square" else operands
    lines.append("  node { op_type: \"" + kinds[op] + '" ' + " ".join(f'input: "{operand}"' for operand in operands) + f' output: "{name}" }}')


write = onnx if len(sys.argv) > 3 else text
write("x0", "mul", "a", "w")
for i in range(steps):
    if kind == "newton":  # x (1.5 - 0.5 a x^2) = 1 / sqrt(a) in the limit
        write(f"q{i}", "square", last)
        write(f"p{i}", "mul", f"q{i}", "a")
        write(f"r{i}", "mul", f"p{i}", "half")
        write(f"d{i}", "sub", "more", f"r{i}")
        write(f"x{i + 1}", "mul", last, f"d{i}")
    else:
        write(f"s{i}", "sin", last)
        write(f"m{i}", "mul", f"s{i}", last)
        if kind in ("residual", "product"):
            write(f"x{i + 1}", "add", last, f"m{i}")
        else:
            lines.append(lines.pop().replace(f"m{i}", f"x{i + 1}"))
    last = f"x{i + 1}"
if kind == "product":
    write("soft", "matmul", last, "p")
    last = "soft"
elif kind != "residual":  # reduces to the mean only
    write("soft", "softmax", last)
    last = "soft"
body = "\n".join(lines)
if write is text:
    hasNorm = kind not in ("residual", "product")
    parameters = "  train.param @g : f32[8] = #train.ones\n  train.param @b : f32[8] = #train.zeros\n" if hasNorm else "  train.param @p : f32[8, 8] = #train.ones\n" if kind == "product" else ""
    norm = "    %n = train.layer_norm %soft, %g, %b eps 1.0e-5\n" if hasNorm else ""
    print(f"""train.model @chain(batch = 4) {{
  train.param @w : f32[8] = #train.ones
{parameters}  train.func @loss(%a: f32[batch, 8]) {{
    %more = train.constant dense<1.5> : tensor<f32>
    %half = train.constant dense<0.5> : tensor<f32>
{body}
{norm}    %l = train.reduce_mean %{"n" if hasNorm else last} over [0, 1]
    train.return %l
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}}""")
else:
    shape = "type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } dim { dim_value: 8 } } } }"
    numbers = "".join(f'  initializer {{ name: "{name}" data_type: 1 float_data: {value} }}\n' for name, value in (("more", 1.5), ("half", 0.5)))
    print(f"""ir_version: 8
opset_import {{ version: 17 }}
graph {{
  name: "chain"
{body}
  initializer {{ name: "w" data_type: 1 dims: 8 {"float_data: 1 " * 8} }}
{numbers}  input {{ name: "a" {shape} }}
  output {{ name: "{last}" {shape} }}
}}""")
