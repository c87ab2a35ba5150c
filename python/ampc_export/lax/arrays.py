# Primitives of JAX that move elements, products, convolutions and lookups.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export import composed
from ampc_export.errors import Unsupported
from ampc_export.lax import primitive
from ampc_export.sizes import count, listed


@primitive("broadcast_in_dim")
def broadcast_in_dim(g, operands, params, shape, kind):
    x, placed = operands[0], list(params["broadcast_dimensions"])
    apart = [x.shape[placed.index(i)] if i in placed else 1 for i in range(len(shape))]
    return g.broadcast_to(g.reshape(x, apart), shape)


@primitive("reshape", "squeeze", "expand_dims")
def reshape(g, operands, params, shape, kind):
    return g.reshape(operands[0], shape)


@primitive("transpose")
def transpose(g, operands, params, shape, kind):
    return g.transpose(operands[0], list(params["permutation"]))


@primitive("concatenate")
def concatenate(g, operands, params, shape, kind):
    return g.concat(operands, params["dimension"])


@primitive("split")
def split(g, operands, params, shape, kind):
    return g.split(operands[0], list(params["sizes"]), params["axis"])


@primitive("slice")
def slice_(g, operands, params, shape, kind):
    return g.slice(operands[0], list(params["start_indices"]), list(shape), list(params["strides"] or [1] * len(shape)))


@primitive("rev")
def rev(g, operands, params, shape, kind):
    return composed.reverse(g, operands[0], params["dimensions"])


@primitive("pad")
def pad(g, operands, params, shape, kind):
    x, value = operands
    low, high, interior = zip(*params["padding_config"])
    if min(low + high) < 0 or not (value.op and value.op.form.startswith("train.constant dense<")):
        raise Unsupported("padding that is negative or depends on inputs")
    number = value.op.form.partition("dense<")[2].partition(">")[0]
    return g.pad(x, low, high, float(number), interior)


@primitive("iota")
def iota(g, operands, params, shape, kind):
    made = g.emit(f"train.iota along {params['dimension']} : i32{listed(shape)}", [], shape, "i32")
    return g.cast(made, kind)


@primitive("dot_general")
def dot_general(g, operands, params, shape, kind):
    """Dimensions of both as [batch..., rows, columns] with one contracted dimension each, then a product of matrices."""
    (left_contracted, right_contracted), (left_batch, right_batch) = (tuple(map(list, pair)) for pair in params["dimension_numbers"])
    x, y = operands
    left_free = [i for i in range(x.rank) if i not in left_contracted + left_batch]
    right_free = [i for i in range(y.rank) if i not in right_contracted + right_batch]
    batch = [x.shape[i] for i in left_batch]
    rows, columns = [x.shape[i] for i in left_free], [y.shape[i] for i in right_free]
    depth = count([x.shape[i] for i in left_contracted])
    left = g.transpose(x, left_batch + left_free + left_contracted)
    left = g.reshape(left, batch + [count(rows), depth])
    right = g.transpose(y, right_batch + right_contracted + right_free)
    right = g.reshape(right, batch + [depth, count(columns)])
    return g.reshape(g.matmul(left, right), shape)


@primitive("conv_general_dilated")
def conv(g, operands, params, shape, kind):
    """To images in (N, ..., C) and filters in (O, ..., I), whatever order they have here."""
    x, w = operands
    if not 3 <= x.rank <= 5:
        raise Unsupported(f"images of {x.rank - 2} dimensions")
    if set(params["lhs_dilation"]) != {1} or params["batch_group_count"] != 1:
        raise Unsupported("dilations of the image or groups of the batch")

    def last(spec):
        return [spec[0], *spec[2:], spec[1]]
    numbers = params["dimension_numbers"]  # N, C, ... and O, I, ...
    image, filters, order = g.transpose(x, last(numbers.lhs_spec)), g.transpose(w, last(numbers.rhs_spec)), last(numbers.out_spec)
    padding = [n for pair in params["padding"] for n in pair]
    y = g.conv(image, filters, list(params["window_strides"]), padding, list(params["rhs_dilation"]), params["feature_group_count"])
    return g.transpose(y, [order.index(i) for i in range(x.rank)])


def _window(g, operands, params, shape, mode):
    """Of images, wherever they have their channels."""
    x = operands[0]
    window, strides, pads, dilations = (list(params[key]) for key in ("window_dimensions", "window_strides", "padding", "window_dilation"))
    moving = [i for i in range(x.rank) if window[i] != 1 or strides[i] != 1 or tuple(pads[i]) != (0, 0)]
    if x.rank < 3 or len(moving) > x.rank - 2 or set(params["base_dilation"]) != {1}:
        raise Unsupported("windows of images without a batch or channels, or dilations of the image")
    moving = sorted(moving + [i for i in reversed(range(x.rank)) if i not in moving][:x.rank - 2 - len(moving)])
    rest = [i for i in range(x.rank) if i not in moving]
    order = [rest[0], *moving, rest[1]]
    padding = [n for i in moving for n in pads[i]]
    y = g.pool(mode, g.transpose(x, order), *([numbers[i] for i in moving] for numbers in (window, strides)), padding,
               [dilations[i] for i in moving], [shape[i] for i in moving])
    return g.transpose(y, [order.index(i) for i in range(x.rank)])


@primitive("reduce_window_max")
def reduce_window_max(g, operands, params, shape, kind):
    return _window(g, operands, params, shape, "max")


@primitive("reduce_window_sum")
def reduce_window_sum(g, operands, params, shape, kind):
    return _window(g, operands, params, shape, "sum")


@primitive("gather")
def gather(g, operands, params, shape, kind):
    """Whole rows of a table, as table[index] gives them; and one element of every row, as take_along_axis does."""
    table, index = operands
    numbers, sizes = params["dimension_numbers"], tuple(params["slice_sizes"])
    rows = (1, *table.shape[1:])
    if numbers.collapsed_slice_dims == (0,) and numbers.start_index_map == (0,) and sizes == rows and index.shape[-1] == 1:
        flat = g.reshape(table, (table.shape[0], count(table.shape[1:])))
        places = g.reshape(index, index.shape[:-1])
        # Supported offsets: the dimensions of a row are the last dimensions of the result, in order.
        if list(numbers.offset_dims) == list(range(places.rank, places.rank + table.rank - 1)):
            made = g.emit("train.gather {0} at {1}", [flat, places], (*places.shape, flat.shape[1]), table.kind)
            return g.reshape(made, shape)
    batching = tuple(numbers.operand_batching_dims)
    if batching == tuple(range(table.rank - 1)) and numbers.start_index_map == (table.rank - 1,) and set(sizes) == {1}:
        places = g.reshape(index, index.shape[:-1])
        spread = g.reshape(table, (*table.shape[:-1], *[1] * (places.rank - table.rank + 1), table.shape[-1]))
        return g.reshape(composed.elements_at(g, spread, places), shape)
    raise Unsupported("an index of other dimensions than the first, or the last one of every row")
