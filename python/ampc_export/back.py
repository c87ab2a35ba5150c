# Trained weights back into the module that was exported.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os

import numpy as np

from ampc_export import safetensors
from ampc_export.errors import ExportError

KEY = "ampc_export"  # metadata of the file of weights: which dimensions moved where


def _orders(*paths):
    """How dimensions were moved when the model was written, if one of the files says it."""
    for path in paths:
        if path and (found := safetensors.metadata(path).get(KEY)):
            return json.loads(found)["orders"]
    return None


def _in_torch(torch, name, array, shape, orders, owner):
    """In PyTorch's order: filters were (O, ..., I)."""
    moved = [0, array.ndim - 1, *range(1, array.ndim - 1)]
    if orders is not None:
        if name in orders:
            array = array.transpose(np.argsort(orders[name]))
    elif isinstance(owner, torch.nn.modules.conv._ConvNd) and array.ndim > 2:
        array = array.transpose(moved)
    if array.shape != shape:
        raise ExportError(f"{name}: expected shape {list(shape)}, but got {list(array.shape)}")
    return array


def load_back(module, checkpoint, *, exported=None):
    """Copies the parameters and buffers that `checkpoint` has into `module`, in place. Returns the names of the module's
    state_dict that it lacks.

    exported: the file of weights that was written with the model, which says how filters were stored; without it, weights
        of convolution layers are taken as (out, ..., in). Moments and counters of the optimizer are not read."""
    import torch
    tensors = safetensors.read(checkpoint)
    orders = _orders(checkpoint, os.fspath(exported) if exported else None)
    missing, owners, kept = [], dict(module.named_modules()), set(module.state_dict())
    with torch.no_grad():
        for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
            if name not in tensors:
                if name in kept:
                    missing.append(name)
                continue
            owner = owners.get(name.rpartition(".")[0], module)
            array = _in_torch(torch, name, tensors[name], tuple(tensor.shape), orders, owner)
            tensor.copy_(torch.from_numpy(np.array(array)))
    return missing
