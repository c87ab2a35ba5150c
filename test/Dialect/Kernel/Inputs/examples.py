# Writes a file around the example of every op in a reference page: examples.py PAGE DIALECT FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Inputs"))
from page_examples import write_examples

page, dialect, folder = sys.argv[1:4]
TYPE = r"tensor<(?:[^<>]|<[^<>]*>)*>"
AMP_ARGUMENTS = """%x: tensor<8x3xf32>, %w: tensor<3x4xf32>, %g: tensor<4xf16>, %scale: tensor<f32>, %good_steps: tensor<i32>,
      %left: tensor<i32>, %found_inf: tensor<i1>"""


def kernel_file(example):
    """A program whose arguments are the operands that the kernel names, in the types behind them."""
    if example.startswith("kernel.program"):
        return example
    head, _, types = example.split(" = ", 1)[1].partition(" : ")
    operands = re.findall(r"%\w+", head.split("space")[0])
    given = re.findall(TYPE, re.split(r"->| to |\{", types)[0])
    for names, kinds in re.findall(r"epilogue ?\((%.*?) : (.*?)\) maps", example, re.S):
        operands += names.split(", ")
        given = given[:2] + re.findall(TYPE, kinds)
    if len(given) < len(operands):
        sys.exit(f"expected a type for each of {operands}, but got {given} in: {example}")
    arguments = ", ".join(map("{}: {}".format, operands, given))
    return f"kernel.program @example({arguments}) {{\n{example}  kernel.return\n}}\n"


def amp_file(example):
    if example.startswith("amp.scaler"):
        return f"train.model @m {{\n{example}}}\n"
    return f"train.model @m {{\n  train.func @example({AMP_ARGUMENTS}) {{\n{example}  train.return\n  }}\n}}\n"


around = {"kernel": kernel_file, "amp": amp_file}[dialect]
write_examples(page, dialect, folder, lambda op, example: around(example))
