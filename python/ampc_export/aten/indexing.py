# Ops of ATen that read and write by index.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import torch

from ampc_export import composed
from ampc_export.aten import op
from ampc_export.aten.converter import Unsupported, array_of
from ampc_export.graph import Value
from ampc_export.sizes import broadcast, count, hint


@op("embedding")
def embedding(c):
    g, table, index = c.graph, c.value("weight"), c.value("indices", "i32")
    padding = c.arguments.get("padding_idx", -1)
    text = "" if padding is None or padding < 0 else f" padding {padding}"
    return c.give(g.emit(f"train.embedding {{0}} at {{1}}{text}", [table, index], (*index.shape, table.shape[1]), "f32"))


def rows_at(g, table, index):
    """Rows of a table of any rank."""
    flat = g.reshape(table, (table.shape[0], count(table.shape[1:]))) if table.rank != 2 else table
    rows = g.emit("train.gather {0} at {1}", [flat, index], (*index.shape, flat.shape[1]), table.kind)
    return g.reshape(rows, (*index.shape, *table.shape[1:]))


def _along(c, x, dim, array):
    """Elements of one dimension by indices that are known: parts, if they follow one another."""
    g = c.graph
    size = hint(x.shape[dim])
    array = np.where(array < 0, array + size, array)
    steps = np.diff(array)
    if array.size and (array.size == 1 or (steps == steps[0]).all() and steps[0] > 0):
        return g.part(x, dim, int(array[0]), len(array), int(steps[0]) if array.size > 1 else 1)
    order = [dim] + [i for i in range(x.rank) if i != dim]
    rows = rows_at(g, g.transpose(x, order), g.constant(array.astype(np.int32)))
    return g.transpose(rows, [order.index(i) for i in range(x.rank)])


@op("index_select")
def index_select(c):
    x = c.value("self")
    dim = c["dim"] % x.rank
    if c.is_known("index"):
        return c.give(_along(c, x, dim, array_of(c.known("index"))))
    g, order = c.graph, [dim] + [i for i in range(x.rank) if i != dim]
    rows = rows_at(g, g.transpose(x, order), c.value("index", "i32"))
    return c.give(g.transpose(rows, [order.index(i) for i in range(x.rank)]))


def _counting_axis(index, size):
    """Along which axis an index counts all places of its dimension, 0, 1, 2, ...; None if it does not."""
    source = index.op.operands[0] if index.op is not None and index.op.form.startswith("train.reshape ") else index
    if source.op is None or not source.op.form.startswith("train.iota along "):
        return None
    along = int(source.op.form.split()[2])
    axes = [axis for axis, n in enumerate(index.shape) if n != 1]
    whole = len(axes) == 1 and index.shape[axes[0]] == size and source.shape[along] == size
    return axes[0] if whole else None


def _all_in_place(g, x, indices, rank):
    """Masks of transformers are read with a counter for every dimension, which only spreads the dimensions apart."""
    axes = [_counting_axis(index, size) for index, size in zip(indices, x.shape)]
    if len(indices) != x.rank or None in axes:
        return None
    axes = [axis + rank - index.rank for axis, index in zip(axes, indices)]
    if axes != sorted(set(axes)):
        return None
    return g.reshape(x, tuple(x.shape[axes.index(axis)] if axis in axes else 1 for axis in range(rank)))


@op("index", "_unsafe_index")
def index(c):
    g, x = c.graph, c.value("self")
    given = {dim: argument for dim, argument in enumerate(c.arguments["indices"]) if argument is not None}
    if any(a.meta["val"].dtype == torch.bool for a in given.values()):
        raise Unsupported("truth values as an index")
    dims = list(given)
    held = {dim: c.held(a) for dim, a in given.items()}
    if len(dims) == 1 and held[dims[0]].known is not None and held[dims[0]].known.ndim == 1:
        return c.give(_along(c, x, dims[0], array_of(held[dims[0]].known)))
    if dims != list(range(dims[0], dims[0] + len(dims))):
        raise Unsupported("indices of dimensions that do not follow one another")
    # One number for all indexed dimensions, which come to the front.
    indices = [_positive(c, g, a, x.shape[dim]) for dim, a in given.items()]
    shape = broadcast(*(i.shape for i in indices))
    same = _all_in_place(g, x, indices, len(shape))
    if same is not None:
        return c.give(same)
    flat = indices[0]
    for dim, each in list(zip(dims, indices))[1:]:
        flat = g.binary("add", g.binary("mul", flat, g.scalar(hint(x.shape[dim]), "i32")), each)
    flat = g.broadcast_to(g.reshape(flat, [1] * (len(shape) - flat.rank) + list(flat.shape)), shape)
    order = dims + [i for i in range(x.rank) if i not in dims]
    moved = g.transpose(x, order)
    table = g.reshape(moved, (count(moved.shape[:len(dims)]), *moved.shape[len(dims):]))
    rows = rows_at(g, table, flat)
    back = list(range(len(shape), len(shape) + dims[0])) + list(range(len(shape))) \
        + list(range(len(shape) + dims[0], rows.rank))
    return c.give(g.transpose(rows, back))


def _positive(c, g, argument, size):
    held = c.held(argument)
    if held.known is not None:
        array = array_of(held.known)
        return g.constant(np.where(array < 0, array + hint(size), array).astype(np.int32))
    return c.value_of(argument, "i32")


@op("gather")
def gather(c):
    """One element per place along a dimension: a product with unit vectors."""
    g, x, index = c.graph, c.value("self"), c.value("index", "i32")
    dim = c["dim"] % x.rank
    if any(a != b for i, (a, b) in enumerate(zip(x.shape, index.shape)) if i != dim):
        raise Unsupported("an index of another shape than the tensor's")
    order = [i for i in range(x.rank) if i != dim] + [dim]
    table, places = g.transpose(x, order), g.transpose(index, order)
    y = composed.elements_at(g, g.reshape(table, (*table.shape[:-1], 1, table.shape[-1])), places)
    return c.give(g.transpose(y, [order.index(i) for i in range(x.rank)]))


@op("one_hot")
def one_hot(c):
    index, shape = c.value("self", "i32"), c.result_shape
    return c.give(c.graph.emit(f"train.one_hot {{0}} to f32[{', '.join(map(str, shape))}]", [index], shape, "f32"))


@op("index_add")
def index_add(c):
    g, x = c.graph, c.value("self")
    if c["dim"] % x.rank or c["alpha"] != 1:
        raise Unsupported("another dimension than the first, or a factor")
    rows = c.value("source")
    flat = g.reshape(rows, (rows.shape[0], count(rows.shape[1:])))
    shape = (x.shape[0], flat.shape[1])
    index, made = c.value("index", "i32"), Value(shape, "f32")
    types = f"{flat.tensor_type}, {index.tensor_type} to {made.tensor_type}"
    added = g.emit(f"train.scatter_add {{0}} at {{1}} : {types}", [flat, index], shape, "f32")
    return c.give(g.binary("add", x, g.reshape(added, x.shape)))


@op("slice_scatter", "select_scatter")
def slice_scatter(c):
    """The tensor with a part in place of its own."""
    g, x, part = c.graph, c.value("self"), c.value("src")
    dim = c["dim"] % x.rank
    size = hint(x.shape[dim])
    if c.node.target._schema.name.endswith("select_scatter"):
        begin = c["index"] % size
        end, step = begin + 1, 1
        part = g.reshape(part, [1 if i == dim else n for i, n in enumerate(x.shape)])
    else:
        begin, end, step = slice(c["start"], c["end"], c["step"]).indices(size)
    if step != 1:
        raise Unsupported("steps")
    parts = [g.part(x, dim, 0, begin)] * (begin > 0) + [part] + [g.part(x, dim, end, size - end)] * (end < size)
    return c.give(g.concat(parts, dim))
