# Which function writes which primitive of JAX: a table by name.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib

TABLE = {}


def primitive(*names):
    def register(function):
        for name in names:
            TABLE[name] = function
        return function
    return register


def load():
    for family in ("elements", "arrays"):
        importlib.import_module(f"ampc_export.lax.{family}")
    return TABLE
