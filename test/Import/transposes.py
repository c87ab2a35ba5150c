# Transpositions in the steps of imported networks of images.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints, per program of each model, the kernels that only permute elements, with the operands.

    transposes.py MODEL... [--target=cpu] [--precision=f32]

MODEL is a text, or a folder that holds model.onnx, whose first result is the loss.
"""
import argparse
import os
import re
import subprocess

program_of = re.compile(r"kernel\.program @([\w.]+)\((.*)\)")
map_of = re.compile(r"(%\w+) = kernel\.map\((%\w+(?:#\d+)?) : tensor<([^>]*)>\) space (\[[\d, ]*\]) maps \[(#\w+)\] -> \[(#\w+)\]")


def movers(text):
    """(program, operand, type of the operand) of each map that only permutes the elements of an operand."""
    aliases = dict(re.findall(r"^(#\w+) = affine_map<(.*)>$", text, re.MULTILINE))
    found, lines = [], text.splitlines()
    program, inputs = None, {}
    for number, line in enumerate(lines):
        if match := program_of.search(line):
            program = match[1]
            inputs = dict(re.findall(r"(%\w+): tensor<[^>]*> \{[^}]*#train\.input<\"(\w+)\"", line))
        match = map_of.search(line)
        if not match:
            continue
        argument = re.search(r"\^bb0\((%\w+):", lines[number + 1])[1]
        read, written = (aliases[match[i]].split("-> ")[1].strip("()").split(", ") for i in (5, 6))
        places = [written.index(dim) for dim in read if dim in written]
        if re.search(rf"kernel\.yield {argument} :", lines[number + 2]) and all(re.fullmatch(r"d\d|0", dim) for dim in read) and places != sorted(places):
            found.append((program, inputs.get(match[2], "a value"), match[3]))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--precision", default="f32")
    options = parser.parse_args()
    for model in options.models:
        name = os.path.basename(model.rstrip("/")).removesuffix(".mlir")
        source = [model] if model.endswith(".mlir") else [f"{model}/model.onnx", "--loss", "loss", "--mode=train"]
        text = subprocess.run(["ampc", "compile", *source, "--quiet", "--compile-to=kernels", f"--target={options.target}",
                               f"--precision={options.precision}"], check=True, capture_output=True, text=True).stdout
        found = [each for each in movers(text) if each[0].startswith("fit")]
        print(f"{name}: {len(found)}")
        for program, source, type in found:
            print(f"  {program}: {source}, {type}")


main()
