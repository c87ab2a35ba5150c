# Registry of converters by ATen op: names are without `aten.` and overload; f_ is written as f.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.registry import Registry

op = Registry(__name__, "creation", "pointwise", "reductions", "shapes", "products", "images", "norms", "attention", "indexing", "scattering",
              "ordering", "recurrent", "experts", "losses")
