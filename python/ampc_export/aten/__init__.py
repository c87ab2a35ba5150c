# Which function writes which op of ATen: a table by name, filled by the files of this folder.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib

TABLE = {}
FAMILIES = ("creation", "pointwise", "reductions", "shapes", "products", "images", "norms", "attention", "indexing", "losses")


def op(*names):
    """Writes `names`, which are without `aten.` and overload; f_ is written as f."""
    def register(function):
        for name in names:
            TABLE[name] = function
        return function
    return register


def load():
    for family in FAMILIES:
        importlib.import_module(f"ampc_export.aten.{family}")
    return TABLE
