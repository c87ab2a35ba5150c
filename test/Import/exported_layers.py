# Imported layers of PyTorch's exporters: values in f64 against PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exported_layers.py FOLDER: compiles the files of Inputs/exported, which export.py writes, in FOLDER."""
import importlib
import json
import os
import subprocess
import sys

import numpy as np

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "exported")
BAR = 1e-12
# The file has 1.702 and tables of cosines in f32.
ROUNDED = {"quick_gelu": 1e-7, "rotary": 1e-6, "total": 1e-6}


def main():
    folder = sys.argv[1]
    with open(f"{INPUTS}/layers.json") as file:
        layers = json.load(file)
    given = [np.array(each["values"]).reshape(each["shape"]) for each in layers["inputs"].values()]
    sys.path.insert(0, folder)
    for exporter, want in layers["outputs"].items():
        subprocess.run(["ampc", "compile", f"{INPUTS}/{exporter}.onnx", "--precision=f64", "--bindings=python", "-o", folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        outputs = importlib.import_module(exporter).Model(threads=1).predict(*given)
        wrong = 0
        for (name, expected), got in zip(want.items(), outputs.values(), strict=True):
            error = np.max(np.abs(got.reshape(-1) - expected)) / np.max(np.abs(expected))
            if not error <= ROUNDED.get(name, BAR):
                wrong += 1
                print(f"{name}: {error:.3g} away from\n{expected}\nbut got\n{got}")
        print(f"{exporter}: {len(want)} layers, {wrong} wrong")


main()
