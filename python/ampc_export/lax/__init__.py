# Registry of converters by JAX primitive. A converter takes the graph, values, parameters, and the result's shape and kind.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.registry import Registry

primitive = Registry(__name__, "elements", "arrays")
