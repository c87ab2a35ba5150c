# Models of PyTorch and JAX as text of ampc, with their weights in safetensors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models of PyTorch and JAX for ampc.

    ampc_export.torch(module, inputs, loss="cross_entropy", optimizer=optimizer, path="model.mlir")
    ampc_export.jax(function, params, inputs, path="model.mlir")
    ampc_export.load_back(module, "tuned.safetensors")

The frameworks are imported by the function that needs them."""
from ampc_export.errors import ExportError

__all__ = ["ExportError", "jax", "load_back", "padded", "torch"]


def torch(module, inputs, *, path, loss=None, targets=None, optimizer=None, **options):
    """Writes `module` as `path` (.mlir) and its weights beside it (.safetensors); see ampc_export.pytorch.export."""
    from ampc_export import pytorch
    return pytorch.export(module, inputs, path=path, loss=loss, targets=targets, optimizer=optimizer, **options)


def padded(module, x, lengths, states=None):
    """A recurrent layer of torch.nn on padded sequences of several lengths; see ampc_export.layers.padded."""
    from ampc_export import layers
    return layers.padded(module, x, lengths, states)


def jax(function, params, inputs, *, path, **options):
    """Writes `function(params, *inputs)` as `path` (.mlir) and `params` beside it; see ampc_export.jaxpr.export."""
    from ampc_export import jaxpr
    return jaxpr.export(function, params, inputs, path=path, **options)


def load_back(module, checkpoint, *, exported=None):
    """Copies trained weights from `checkpoint` into `module`; see ampc_export.back.load_back."""
    from ampc_export import back
    return back.load_back(module, checkpoint, exported=exported)
