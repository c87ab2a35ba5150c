# Writes models whose text is small and which are not.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
HEAD = "train.model @m {\n  train.param @w : tensor<4xf32> = #train.ones\n"


def function(name, lines):
    body = "".join(f"    {line}\n" for line in lines)
    return f"  train.func @{name}(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{body}  }}\n"


def calls(count, times):
    """Functions f0, f1, ...: f1 calls f0 `times` times, f2 calls f1 `times` times."""
    text = HEAD + function("f0", ["%1 = train.tanh %0 : tensor<4xf32>", "train.return %1 : tensor<4xf32>"])
    for i in range(1, count + 1):
        lines = [f"%{t + 1} = train.call @f{i - 1}(%{t}) : (tensor<4xf32>) -> tensor<4xf32>" for t in range(times)]
        text += function(f"f{i}", lines + [f"train.return %{times} : tensor<4xf32>"])
    return text + f"""  train.func @loss(%x: tensor<4xf32>) -> tensor<f32> {{
    %w = train.read @w : tensor<4xf32>
    %p = train.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %y = train.call @f{count}(%p) : (tensor<4xf32>) -> tensor<4xf32>
    %l = train.reduce_sum %y over [0] : tensor<4xf32>
    train.return %l : tensor<f32>
  }}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}}
"""


open("doubling.mlir", "w").write(calls(40, 2))
open("chain.mlir", "w").write(calls(200, 1))
open("regions.mlir", "w").write(HEAD + "  train.func @f() {\n" + "    amp.autocast bf16 {\n" * 100000)
# 20000 uses, from 200 uses of a module with 100.
open("modules.mlir", "w").write("""train.model @m {
  train.model @inner {
    train.param @w : f32[1] = #train.ones
  }
  train.model @outer {
    train.use @inner as @inner times 100
  }
  train.use @outer as @outer times 200
}
""")
