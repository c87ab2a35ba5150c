# Losses of a model with a tied weight and batch norms, against PyTorch's in f64.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tied.py: in the current folder; export.py has written the model, its inputs and PyTorch's losses. One line per choice of modes."""
import csv
import json
import os
import subprocess
import sys

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "exported")
OPTIONS = {"inference": ["--mode=inference"], "train": ["--mode=train"], "first": ["--mode=train", "--freeze-statistics=first.*"]}


def trained(name, options, steps):
    subprocess.run(["ampc", "train", os.path.join(FOLDER, "tied.onnx"), "--loss=softmax_cross_entropy(scores,label)", "--optimizer=sgd(lr=0.01)",
                    "--precision=f64", f"--steps={steps}", "--shuffle=false", f"--log={name}.csv", f"--out={name}.safetensors", "--quiet",
                    "--data=words=words.npy", "--data=label=label.npy", *options], check=True)
    with open(f"{name}.csv") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def main():
    with open(os.path.join(FOLDER, "tied.json")) as file:
        known = json.load(file)
    for name, values in known["inputs"].items():
        np.save(f"{name}.npy", np.array(values, np.int64))
    worst = 0
    for name, wanted in known["losses"].items():
        got = trained(name, OPTIONS[name], len(wanted))
        apart = max(abs(a - b) / abs(b) for a, b in zip(got, wanted, strict=True))
        worst = max(worst, apart)
        print(f"{name}: {len(got)} losses, {'equal' if apart < 1e-7 else f'{apart:.1e} apart: {got} and {wanted}'}")
    sys.exit(worst >= 1e-7)


main()
