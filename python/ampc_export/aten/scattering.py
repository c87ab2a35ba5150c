# Ops of ATen that change elements by index.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch

from ampc_export.aten import op
from ampc_export.aten.converter import Unsupported
from ampc_export.aten.indexing import flat_index, indices_of
from ampc_export.graph import Value
from ampc_export.sizes import count

# Modes by PyTorch's names, old (`add`, `multiply`) and new (`sum`, `prod`).
MODES = {None: "set", "add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amax": "max", "amin": "min"}


def scattered(g, mode, x, updates, index, dim, flags=""):
    """Integers go through f32, which has those below 2^24."""
    kind = x.kind
    table, updates = g.cast(x, "f32"), g.cast(updates, "f32")
    form = f"train.scatter {mode} {{0}} at {{1}} into {{2}} along {dim}{flags}"
    return g.cast(g.emit(form, [updates, index, table], table.shape, "f32"), kind)


def _updates(c, name, shape):
    """A tensor, of which an index of this shape takes a part, or a number for all."""
    g, given = c.graph, c.value(name, c.result_kind)
    if given.rank == 0:
        return g.broadcast_to(given, shape)
    return g.slice(given, [0] * given.rank, list(shape))


@op("scatter", "scatter_add", "scatter_reduce")
def scatter(c):
    """An index that has fewer lines than the tensor leaves the other ones."""
    g, x, index = c.graph, c.value("self"), c.value("index", "i32")
    if x.rank == 0:
        raise Unsupported("a tensor without dimensions")
    dim = c["dim"] % x.rank
    name = c.node.target._schema.name.removeprefix("aten::")
    reduce = "add" if name.startswith("scatter_add") else c.arguments.get("reduce")
    if reduce not in MODES or not c.arguments.get("include_self", True):
        raise Unsupported("a mean, or updates without the element")
    updates = _updates(c, "src" if "src" in c.arguments else "value", index.shape)
    if any(a != b for i, (a, b) in enumerate(zip(index.shape, x.shape)) if i != dim):
        raise Unsupported("an index of fewer lines than the tensor's")
    return c.give(scattered(g, MODES[reduce], x, updates, index, dim))


@op("index_put", "_unsafe_index_put")
def index_put(c):
    g, x, add = c.graph, c.value("self"), bool(c["accumulate"])
    masks = [a for a in c.arguments["indices"] if a is not None]
    if len(masks) == 1 and masks[0].meta["val"].dtype == torch.bool and count(c.shape("values")) == 1:
        return c.give(_masked(c, x, masks[0], add))
    given = indices_of(c)
    dims = list(given)
    if dims != list(range(dims[0], dims[0] + len(dims))):
        raise Unsupported("indices of dimensions that are not adjacent")
    table, flat, flags = flat_index(c, x, given)
    values, rest = c.value("values", x.kind), [n for i, n in enumerate(x.shape) if i not in dims]
    shape = (*rest[:dims[0]], *flat.shape, *rest[dims[0]:])
    values = g.broadcast_to(g.reshape(values, [1] * (len(shape) - values.rank) + list(values.shape)), shape)
    at, last = dims[0], dims[0] + flat.rank
    values = g.transpose(values, [*range(at, last), *range(at), *range(last, values.rank)])
    y = _rows_put(g, "add" if add else "set", table, values, flat, flags)
    moved = g.reshape(y, [x.shape[i] for i in dims] + rest)
    order = dims + [i for i in range(x.rank) if i not in dims]
    return c.give(g.transpose(moved, [order.index(i) for i in range(x.rank)]))


def _masked(c, x, mask, add):
    """One number where the mask is true."""
    g, mask, value = c.graph, c.value_of(mask, "i1"), c.value("values", x.kind)
    front = sum(each is None for each in c.arguments["indices"])
    mask = g.reshape(mask, [1] * front + list(mask.shape) + [1] * (x.rank - mask.rank - front))
    value = g.reshape(value, ())
    return g.select(mask, g.binary("add", x, value) if add else value, x)


def _rows_put(g, mode, table, values, flat, flags):
    """Rows of a table, which are as wide as all its other dimensions."""
    width, rows = count(table.shape[1:]), count(flat.shape)
    places = g.broadcast_to(g.reshape(flat, (rows, 1)), (rows, width))
    y = scattered(g, mode, g.reshape(table, (table.shape[0], width)), g.reshape(values, (rows, width)), places, 0, flags)
    return g.reshape(y, table.shape)


@op("index_add", "index_copy", "index_fill")
def index_add(c):
    g, x, index = c.graph, c.value("self"), c.value("index", "i32")
    name, dim = c.node.target._schema.name.removeprefix("aten::").rstrip("_"), c["dim"] % x.rank
    if c.arguments.get("alpha", 1) != 1:
        raise Unsupported("a factor")
    shape = [index.shape[0] if i == dim else size for i, size in enumerate(x.shape)]
    rows = c.value("source" if "source" in c.arguments else "value", x.kind)
    if name == "index_add" and dim == 0 and x.kind == "f32":
        return c.give(g.binary("add", x, _row_sums(g, rows, index, x)))
    rows = g.broadcast_to(rows, shape)
    places = g.broadcast_to(g.reshape(index, [index.shape[0] if i == dim else 1 for i in range(x.rank)]), shape)
    return c.give(scattered(g, "add" if name == "index_add" else "set", x, rows, places, dim))


def _row_sums(g, rows, index, x):
    flat = g.reshape(rows, (rows.shape[0], count(rows.shape[1:])))
    shape = (x.shape[0], flat.shape[1])
    types = f"{flat.tensor_type}, {index.tensor_type} to {Value(shape, 'f32').tensor_type}"
    return g.reshape(g.emit(f"train.scatter_add {{0}} at {{1}} : {types}", [flat, index], shape, "f32"), x.shape)
