# PyTorch's exported models, imported by ampc: gradients and trajectories against PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder per model, as test/Oracle/exported.py describes, with model.onnx.

    oracle.py FOLDER... --out=DIR [options of exported.py]

Imports model.onnx with the loss that is its output 0, gives the text the steps of model.mlir, and has exported.py compare. A parameter
keeps its name and layout, so that nothing else has to be translated.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Oracle"))
COPIED = ("params.safetensors", "inputs.safetensors", "grads.safetensors", "data.safetensors", "trajectory.json", "meta.json")


def step_of(name, numbers):
    """The rule of a trajectory as a step of the language."""
    betas = dict(zip(("beta1", "beta2"), numbers.get("betas", [])))
    numbers = {key: numbers[key] for key in ("lr", "momentum", "eps", "weight_decay") if key in numbers} | betas
    text = ", ".join(f"{key} = {float(value):.17e}" for key, value in numbers.items())
    return f"  train.step @{name} minimize @loss over all with #train.{name.removesuffix('_momentum')}<{text}>"


def full_signature(match):
    """The signature with types in the form that exported.py reads."""
    def tensor(type):
        sizes = type[2].replace(", ", "x")
        return f"tensor<{sizes}x{type[1]}>" if sizes else f"tensor<{type[1]}>"
    return "train.func @loss(" + re.sub(r"(\w+)\[([^\]]*)\]", tensor, match[1]) + ") -> tensor<f32> {"


def ten_digits(match):
    """Constants of f32 with ten digits, by which exported.py recognizes the constants."""
    def exact(number):
        return f"{struct.unpack('f', struct.pack('f', float(number[0])))[0]:.9e}"
    return re.sub(r"-?\d+\.\d+(e[-+]?\d+)?", exact, match[0], flags=re.IGNORECASE)


def imported(source, folder):
    """A folder with the imported model, and the rest as links."""
    os.makedirs(folder, exist_ok=True)
    for name in COPIED:
        path = f"{source}/{name}"
        if os.path.exists(path) and not os.path.lexists(f"{folder}/{name}"):
            os.symlink(os.path.abspath(path), f"{folder}/{name}")
    path = f"{folder}/imported.mlir"
    subprocess.run(["ampc", "import", f"{source}/model.onnx", "-o", path, "--loss", "loss", "--name", os.path.basename(source)],
                   check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        text = file.read()
    with open(f"{source}/trajectory.json") as file:
        rules = json.load(file)["hyperparameters"]
    steps = "\n".join(step_of(name, numbers) for name, numbers in rules.items())
    text = text.replace('<"imported.safetensors">', f'<"{os.path.abspath(folder)}/imported.safetensors">')
    text = re.sub(r"train\.func @loss\((.*)\) \{", full_signature, text)
    text = re.sub(r"train\.constant dense<.*> : tensor<[\dx]*f32>", ten_digits, text)
    text = re.sub(r"^  train\.step .*$", steps, text, flags=re.MULTILINE)
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(text)
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--out", required=True)
    arguments, rest = parser.parse_known_args()
    sources = [folder.rstrip("/") for folder in arguments.folders]
    # Models with random numbers have no trajectory.
    folders = [imported(source, f"{arguments.out}/{os.path.basename(source)}") for source in sources if os.path.exists(f"{source}/trajectory.json")]
    compare = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Oracle", "exported.py")
    sys.exit(subprocess.run([sys.executable, compare, *folders, f"--out={arguments.out}", *rest]).returncode)


if __name__ == "__main__":
    main()
