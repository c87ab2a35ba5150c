# A compiled model with the exported weights, and gradients of the model.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import inspect
import subprocess
import sys

import numpy as np

from ampc_export import safetensors


def loaded(name, folder, options=(), double=False):
    """The compiled model with the exported weights, in f32 or f64."""
    called = f"{name}_f64" if double else name
    options = [*options, "--precision=f64", f"--name={called}"] if double else options
    subprocess.run(["ampc", "compile", f"{folder}/{name}.mlir", "--bindings=python", "-o", folder, "--quiet", *options], check=True,
                   capture_output=True)
    sys.path.insert(0, folder)
    try:
        model = importlib.import_module(called).Model(threads=1, want_split=True)
    finally:
        sys.path.pop(0)
    if double:
        weights = safetensors.read(f"{folder}/{name}.safetensors")
        wide = {key: array.astype(np.float64) if array.dtype.kind == "f" else array for key, array in weights.items()}
        safetensors.write(f"{folder}/{called}.safetensors", wide)
    model.load(f"{folder}/{called}.safetensors", weights_only=True)
    return model


def distance(got, want, floor=0.0):
    scale = max(float(np.abs(want).max(initial=0.0)), floor)
    error = float(np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)).max(initial=0.0))
    return error / scale if scale else error


def gradient(model, name, shape):
    """Of a table that has its gradient as rows, too."""
    if f"fit.rows.{name}" not in model.tensors:
        return np.array(model[f"fit.gradient.{name}"])
    dense = np.zeros(shape, model[f"fit.gradient.{name}"].dtype)
    for row, part in zip(model[f"fit.rows.{name}"], model[f"fit.gradient.{name}"]):
        if 0 <= row < shape[0]:
            dense[row] += part
    return dense


def inputs_of(function):
    """Names of a program's inputs."""
    return [name for name in inspect.signature(function).parameters if name != "lr_factor"]
