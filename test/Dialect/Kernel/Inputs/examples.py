# Writes a file around the example of every op in a reference page: examples.py PAGE DIALECT FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import sys

page, dialect, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
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


sections = re.split(rf"^### `{dialect}\.(\w+)`.*$", page.read_text(), flags=re.M)[1:]
missing = []
for op, text in zip(sections[::2], sections[1::2]):
    found = re.search(r"^```mlir\n(.*?)^```$", text, re.M | re.S)
    if not found or f"{dialect}.{op}" not in found[1]:
        missing.append(op)
        continue
    (folder / f"{op}.mlir").write_text({"kernel": kernel_file, "amp": amp_file}[dialect](found[1]))
if missing:
    sys.exit("no example, or one indented as plain text, for " + ", ".join(missing))
print(len(sections) // 2, "examples")
