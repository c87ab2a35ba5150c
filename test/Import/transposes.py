# Transpositions in the steps of imported networks of images.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints, per program of each model, the kernels that do nothing but put elements in another order, and what they read.

    transposes.py FOLDER... [--target=cpu]

FOLDER holds model.onnx, whose first result is the loss.
"""
import argparse
import os
import re
import subprocess

program_of = re.compile(r"kernel\.program @([\w.]+)\((.*)\)")
map_of = re.compile(r"(%\w+) = kernel\.map\((%\w+) : tensor<([^>]*)>\) space (\[[\d, ]*\]) maps \[(#\w+)\] -> \[(#\w+)\]")


def movers(text):
    """(program, what is read, its type) of each map that yields what it reads in another order."""
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
        read = aliases[match[5]].split("-> ")[1].strip("()").split(", ")
        if re.search(rf"kernel\.yield {argument} :", lines[number + 2]) and all(re.fullmatch(r"d\d", dim) for dim in read) and read != sorted(read):
            found.append((program, inputs.get(match[2], "a value"), match[3]))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    for folder in options.folders:
        name = os.path.basename(folder.rstrip("/"))
        text = subprocess.run(["ampc", "compile", f"{folder}/model.onnx", "--loss", "loss", "--mode=train", "--quiet", "--compile-to=kernels",
                               f"--target={options.target}"], check=True, capture_output=True, text=True).stdout
        found = [each for each in movers(text) if each[0].startswith("fit")]
        print(f"{name}: {len(found)}")
        for program, source, type in found:
            print(f"  {program}: {source}, {type}")


main()
