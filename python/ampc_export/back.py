# Trained weights back into the module that was exported.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os

import numpy as np

from ampc_export import safetensors
from ampc_export.errors import ExportError

KEY = "ampc_export"  # metadata of the file of weights: which dimensions moved where


def _orders(*paths):
    """Which dimensions of which tensors are not in PyTorch's order, if one of the files says it."""
    for path in paths:
        if path and (found := safetensors.metadata(path).get(KEY)):
            return json.loads(found)["orders"]
    return {}


def _in_torch(name, array, shape, orders):
    if name in orders:
        array = array.transpose(np.argsort(orders[name]))
    if array.shape != shape:
        raise ExportError(f"{name}: expected shape {list(shape)}, but got {list(array.shape)}")
    return array


def load_back(module, checkpoint, *, exported=None):
    """Copies the parameters and buffers that `checkpoint` has into `module`, in place. Returns the names of the module's
    state_dict that it lacks.

    exported: another file whose metadata may say that dimensions have moved, such as the weights that were written with the
        model; tensors that no file says it of are as PyTorch has them. Moments and counters of the optimizer are not read."""
    import torch
    tensors = safetensors.read(checkpoint)
    orders = _orders(checkpoint, os.fspath(exported) if exported else None)
    missing, kept = [], set(module.state_dict())
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            if name not in tensors:
                if name in kept:
                    missing.append(name)
                continue
            array = _in_torch(name, tensors[name], tuple(tensor.shape), orders)
            tensor.copy_(torch.from_numpy(np.array(array)))
    return missing
