# Writes a model around the example of every op in the reference: examples.py PAGES FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Inputs"))
from page_examples import write_examples

STATE = """  train.param @w : tensor<4x8xf32> = #train.zeros {frozen}
  train.param @w1 : tensor<4x8xf32> = #train.zeros
  train.param @b1 : tensor<8xf32> = #train.zeros
  train.buffer @running : tensor<4x8xf32> = #train.zeros
  train.buffer @mean : tensor<3xf32> = #train.zeros
  train.buffer @variance : tensor<3xf32> = #train.ones
  train.func @double(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    train.return %x : tensor<4x8xf32>
  }
  train.model @block (rows = 4) {
    train.func @apply(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      train.return %x : tensor<4x8xf32>
    }
  }
  train.use @block as @layer
  train.func @loss(%x: tensor<4x8xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<4x8xf32>
    %b1 = train.read @b1 : tensor<8xf32>
    %0 = train.mul %x, %w1 : tensor<4x8xf32>, tensor<4x8xf32>
    %1 = train.add %0, %b1 : tensor<4x8xf32>, tensor<8xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<4x8xf32>
    train.return %2 : tensor<f32>
  }
"""


def function(statement):
    """A function whose arguments are the operands that the statement names, in the types after its colon."""
    head, _, types = statement.partition(" : ")
    operands = list(dict.fromkeys(re.findall(r"%\w+", head.split(" = ", 1)[-1])))
    given = re.findall(r"tensor<[^>]*>", re.split(r"->| to ", types)[0])
    if len(given) < len(operands):
        sys.exit(f"expected a type for each of {operands}, but got {given} in: {statement}")
    arguments = ", ".join(map("{}: {}".format, operands, given))
    last = "" if "train.return" in statement else "\n    train.return"
    results = " -> " + given[0] if "train.return" in statement else ""
    return f"  train.func @example({arguments}){results} {{\n    {statement}{last}\n  }}\n"


def loop(op, example):
    """The example of a loop, or of the end of a round in a loop of two."""
    start, rows, y = "tensor<4x8xf32>", "tensor<35x4x8xf32>", "tensor<4x3xf32>"
    if op == "scan":
        return f"  train.func @example(%h0: {start}, %xs: {rows}) {{\n{example}    train.return\n  }}\n"
    head = f"%last, %all = train.scan carry %h = %h0 times 2 : {start}"
    return f"  train.func @example(%h0: {start}, %y: {y}) {{\n    {head} {{\n{example}    }}\n    train.return\n  }}\n"


def model(op, example):
    if op == "model":
        return example
    if op in ("scan", "next"):
        return f"train.model @m {{\n{loop(op, example)}}}\n"
    if op in ("param", "buffer", "knob", "follow", "func", "step", "export", "use"):
        state = STATE.replace("@double", "@other") if op == "func" else STATE
        if op == "param":
            state = state.replace("@w1 : tensor<4x8xf32>", "@w0 : tensor<4x8xf32>")
            state = state[:state.index("  train.func @loss")]
        return f"train.model @m {{\n{state}{example}}}\n"
    statement = re.sub(r"\n\s+", " ", example.strip())
    return "".join(f"train.model @m{i} {{\n{STATE}{function(line)}}}\n" for i, line in enumerate(statement.split("\n")))


write_examples(sys.argv[1], "train", sys.argv[2], model)
