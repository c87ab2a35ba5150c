# Losses of a model that PyTorch exported before training, against PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""untrained.py: in the current folder; export.py has written the model, its inputs and PyTorch's losses."""
import csv
import json
import os
import subprocess
import sys

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "exported")


def main():
    with open(os.path.join(FOLDER, "untrained.json")) as file:
        known = json.load(file)
    for name, values in known["inputs"].items():
        np.save(f"{name}.npy", np.array(values, np.int64))
    wanted = known["losses"]
    subprocess.run(["ampc", "train", os.path.join(FOLDER, "untrained.onnx"), "--loss", "loss", "--mode=train", "--optimizer=sgd(lr=0.01)",
                    f"--steps={len(wanted)}", "--shuffle=false", "--log=log.csv", "--quiet", *(f"--data={name}={name}.npy" for name in known["inputs"])],
                   check=True)
    with open("log.csv") as file:
        got = [float(row["loss"]) for row in csv.DictReader(file)]
    apart = max(abs(a - b) / abs(b) for a, b in zip(got, wanted, strict=True))
    print(f"{len(got)} losses, {'equal' if apart < 2e-6 else f'{apart:.1e} apart: {got} and {wanted}'}")
    sys.exit(apart >= 2e-6)


main()
