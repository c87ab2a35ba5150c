# Ops of ATen that read and write by index.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, array_of
from ampc_export.errors import NotAFormula
from ampc_export.sizes import Size, broadcast, count, hint


@op("embedding")
def embedding(c):
    g, table, index = c.graph, c.value("weight"), c.value("indices", "i32")
    padding = c.arguments.get("padding_idx", -1)
    text = "" if padding is None or padding < 0 else f" padding {padding}"
    return c.give(g.emit(f"train.embedding {{0}} at {{1}}{text}", [table, index], (*index.shape, table.shape[1]), "f32"))


def rows_at(g, table, index, flags=""):
    """Rows of a table of any rank."""
    flat = g.reshape(table, (table.shape[0], count(table.shape[1:]))) if table.rank != 2 else table
    rows = g.emit(f"train.gather {{0}} at {{1}}{flags}", [flat, index], (*index.shape, flat.shape[1]), table.kind)
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


def indices_of(c):
    """By dimension what indexes it: a known array, or a node. A known mask is the places where it is true."""
    found, dim = {}, 0
    for argument in c.arguments["indices"]:
        if argument is None:
            dim += 1
            continue
        known = c.held(argument).known
        if argument.meta["val"].dtype != torch.bool:
            found[dim] = argument if known is None else array_of(known)
            dim += 1
            continue
        if known is None:
            raise Unsupported("truth values that depend on inputs as an index")
        for places in array_of(known).nonzero():
            found[dim] = places
            dim += 1
    return found


def _position(g, index, size):
    """One more than the place along a dimension that an index names, which may count from the end; 0 where it names none. A row of the table
    1, 2, ..., size is found, checked and left out as one of any other table is."""
    table = g.binary("add", g.emit(f"train.iota along 0 : i32[{size}]", [], (size,), "i32"), g.scalar(1, "i32"))
    return g.emit("train.gather {0} at {1} from_end", [table, index], index.shape, "i32")


def flat_index(c, x, given):
    """The tensor with the indexed dimensions as its first one, one number for all of them, and flags of the op that takes it. Where an index
    lies outside of its dimension the number is that of no element."""
    g, dims = c.graph, list(given)
    moved = g.transpose(x, dims + [i for i in range(x.rank) if i not in dims])
    moved = g.reshape(moved, (count(moved.shape[:len(dims)]), *moved.shape[len(dims):]))
    indices = [_positive(c, each, x.shape[dim]) for dim, each in given.items()]
    computed = [not isinstance(each, np.ndarray) and _counting_axis(index, x.shape[dim]) is None
                for index, (dim, each) in zip(indices, given.items())]
    if len(dims) == 1:
        return moved, indices[0], " from_end" * computed[0]
    shape, flat, positions = broadcast(*(i.shape for i in indices)), None, []
    for dim, index, is_computed in zip(dims, indices, computed):
        if is_computed:
            positions.append(_position(g, index, x.shape[dim]))
            index = g.binary("sub", positions[-1], g.scalar(1, "i32"))
        flat = index if flat is None else g.binary("add", g.binary("mul", flat, g.scalar(hint(x.shape[dim]), "i32")), index)
    for position in positions:
        flat = g.select(g.binary("compare gt", position, g.scalar(0, "i32")), flat, g.scalar(-1, "i32"))
    return moved, g.broadcast_to(g.reshape(flat, [1] * (len(shape) - flat.rank) + list(flat.shape)), shape), ""


@op("index", "_unsafe_index")
def index(c):
    g, x, given = c.graph, c.value("self"), indices_of(c)
    dims = list(given)
    if len(dims) == 1 and isinstance(given[dims[0]], np.ndarray) and given[dims[0]].ndim == 1:
        return c.give(_along(c, x, dims[0], given[dims[0]]))
    if len(dims) == x.rank:
        indices = [_positive(c, each, x.shape[dim]) for dim, each in given.items()]
        same = _all_in_place(g, x, indices, max(i.rank for i in indices))
        if same is not None:
            return c.give(same)
    table, flat, flags = flat_index(c, x, given)
    rows = rows_at(g, table, flat, flags)
    if dims != list(range(dims[0], dims[0] + len(dims))):
        return c.give(rows)  # as NumPy does: indexed dimensions come first
    at, last = flat.rank, flat.rank + dims[0]
    return c.give(g.transpose(rows, [*range(at, last), *range(at), *range(last, rows.rank)]))


def _positive(c, each, size):
    if isinstance(each, np.ndarray):
        return c.graph.constant(np.where(each < 0, each + hint(size), each).astype(np.int32))
    return c.value_of(each, "i32")


def part_like(g, x, shape, dim):
    """The lines along a dimension that an index of this shape has numbers for."""
    sizes = [size if i == dim else wanted for i, (size, wanted) in enumerate(zip(x.shape, shape))]
    return g.slice(x, [0] * x.rank, sizes)


@op("gather", "take_along_dim")
def gather(c):
    """One element per place along a dimension."""
    g, x, index = c.graph, c.value("self"), c.value(c.names[2] if c.names[1] == "dim" else "indices", "i32")
    if x.rank == 0 or c["dim"] is None:
        raise Unsupported("a tensor without dimensions")
    dim = c["dim"] % x.rank
    kind, table = x.kind, g.cast(x, "i32") if x.kind == "i1" else x
    if c.names[1] == "dim":
        table = part_like(g, table, index.shape, dim)
    else:  # the other dimensions are broadcast
        shape = broadcast([1 if i == dim else n for i, n in enumerate(table.shape)], [1 if i == dim else n for i, n in enumerate(index.shape)])
        table, index = (g.broadcast_to(v, [v.shape[i] if i == dim else n for i, n in enumerate(shape)]) for v in (table, index))
    y = g.emit(f"train.take_along_axis {{0}} at {{1}} along {dim}", [table, index], index.shape, table.kind)
    return c.give(g.cast(y, kind))


def _given_bags(c, index):
    """The bag of every index is the last of those that have begun; where they begin is an input."""
    g, starts = c.graph, c.value("offsets", "i32")
    number, count = starts.shape[0] - bool(c["include_last_offset"]), index.shape[0]
    if isinstance(number, Size) or isinstance(count, Size):
        raise NotAFormula("bags")
    begun = g.binary("compare le", g.reshape(g.part(starts, 0, 0, number), (1, number)), g.constant(np.arange(count, dtype=np.int32).reshape(count, 1)))
    return g.binary("sub", g.reduce("reduce_sum", g.cast(begun, "i32"), [1]), g.scalar(1, "i32")), number


def _bags(c, index):
    """The index with a row for each bag, where they are as long as one another, else the bag of every index, and their number."""
    g = c.graph
    known = c.held(c.arguments["offsets"]).known
    if known is None:
        return index, *_given_bags(c, index)
    starts = [int(start) for start in array_of(known)]
    starts = starts[:-1] if c["include_last_offset"] else starts
    number, lengths = len(starts), np.diff([*starts, hint(index.shape[0])])
    if number and (lengths == lengths[0]).all():
        return g.reshape(index, (number, int(lengths[0]))), None, number
    return index, g.constant(np.repeat(np.arange(number, dtype=np.int32), lengths)), number


@op("embedding_bag")
def embedding_bag(c):
    g, table, index = c.graph, c.value("weight"), c.value("indices", "i32")
    mode = ("sum", "mean", "max")[c["mode"]]
    index, bags, number = _bags(c, index)
    operands, form = [table, index], f"train.embedding_bag {mode} {{0}} at {{1}}"
    if bags is not None:
        operands.append(bags)
        form += f" bags {{2}} of {number}"
    if c.arguments.get("per_sample_weights") is not None:
        operands.append(g.reshape(c.value("per_sample_weights", "f32"), index.shape))
        form += f" weights {{{len(operands) - 1}}}"
    padding = c.arguments.get("padding_idx")
    form += f" padding {padding}" if padding is not None and padding >= 0 else ""
    return [Held(g.emit(form, operands, (number, table.shape[1]), "f32")), None, None, None]


@op("one_hot")
def one_hot(c):
    index, shape = c.value("self", "i32"), c.result_shape
    return c.give(c.graph.emit(f"train.one_hot {{0}} to f32[{', '.join(map(str, shape))}]", [index], shape, "f32"))


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
