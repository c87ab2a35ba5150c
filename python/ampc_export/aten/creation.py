# Ops of ATen that make tensors from sizes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Unsupported
from ampc_export.sizes import Size


def filled(c, value):
    shape, g = c.result_shape, c.graph
    kind = c.result_kind
    if kind == "i1":
        return c.give(g.cast(g.broadcast_to(g.scalar(int(value), "i32"), shape), "i1"))
    return c.give(g.broadcast_to(g.scalar(value, kind), shape))


@op("zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty", "empty_permuted")
def zeros(c):
    return filled(c, 0)


@op("ones", "ones_like", "new_ones")
def ones(c):
    return filled(c, 1)


@op("full", "full_like", "new_full", "fill")
def full(c):
    value = c["value"] if "value" in c.arguments else c["fill_value"]
    if not isinstance(value, (int, float, bool)):
        raise Unsupported("a fill value that depends on inputs")
    return filled(c, value)


@op("arange")
def arange(c):
    shape, g = c.result_shape, c.graph
    begin, step = c.arguments.get("start", 0), c.arguments.get("step", 1)
    if isinstance(begin, torch.fx.Node) or isinstance(begin, Size):
        raise Unsupported("a first number that depends on inputs")
    positions = g.emit(f"train.iota along 0 : i32[{shape[0]}]", [], shape, "i32")
    kind = c.result_kind
    positions = g.cast(positions, kind)
    if step != 1:
        positions = g.binary("mul", positions, g.scalar(step, kind))
    return c.give(g.binary("add", positions, g.scalar(begin, kind)) if begin else positions)
