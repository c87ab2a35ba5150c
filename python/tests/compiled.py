# A compiled model with the weights that were exported, and its gradients.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import subprocess
import sys

import numpy as np


def loaded(name, folder, options=()):
    """The compiled model with the exported weights."""
    subprocess.run(["ampc", "compile", f"{folder}/{name}.mlir", "--bindings=python", "-o", folder, "--quiet", *options], check=True,
                   capture_output=True)
    sys.path.insert(0, folder)
    try:
        model = importlib.import_module(name).Model(threads=1, want_split=True)
    finally:
        sys.path.pop(0)
    model.load(f"{folder}/{name}.safetensors", weights_only=True)
    return model


def distance(got, want, floor=0.0):
    scale = max(float(np.abs(want).max(initial=0.0)), floor)
    error = float(np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)).max(initial=0.0))
    return error / scale if scale else error


def gradient(model, name, shape):
    """Of a table that has its gradient as rows, too."""
    if f"fit.rows.{name}" not in model.tensors:
        return np.array(model[f"fit.gradient.{name}"])
    dense = np.zeros(shape, np.float32)
    for row, part in zip(model[f"fit.rows.{name}"], model[f"fit.gradient.{name}"]):
        if 0 <= row < shape[0]:
            dense[row] += part
    return dense
