# Grouped matrix products of mixtures of experts: every row times the matrix of the row's group.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.aten import op
from ampc_export.aten.converter import Unsupported
from ampc_export.sizes import listed


@op("transformers::grouped_mm_fallback", "_grouped_mm")
def grouped_mm(c):
    """Rows are in the order of their groups, which end at `offs`. How many each has is the data's: every group has a product with all rows."""
    g, x, weights, ends = c.graph, c.value(c.names[0], "f32"), c.value(c.names[1], "f32"), c.value("offs", "i32")
    if x.rank != 2 or weights.rank != 3 or c.arguments.get("bias") is not None:
        raise Unsupported("groups of columns")
    groups, rows = weights.shape[0], x.shape[0]
    place = g.emit(f"train.iota along 1 : i32{listed((groups, rows))}", [], (groups, rows), "i32")
    before = g.cast(g.binary("compare lt", place, g.reshape(ends, (groups, 1))), "f32")
    earlier = g.pad(g.part(before, 0, 0, groups - 1), [1, 0], [0, 0])
    own = g.reshape(g.binary("sub", before, earlier), (groups, rows, 1))
    products = g.matmul(g.broadcast_to(g.reshape(x, (1, *x.shape)), (groups, *x.shape)), weights)
    return c.give(g.reduce("reduce_sum", g.binary("mul", own, products), [0]))
