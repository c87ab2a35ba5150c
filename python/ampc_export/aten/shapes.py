# Ops of ATen that move elements.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export import composed
from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported, first_order, last_order
from ampc_export.sizes import Size, hint, listed


@op("view", "reshape", "_unsafe_view", "flatten", "unflatten", "view_as", "reshape_as", "view_copy", "_reshape_alias")
def view(c):
    name = c.names[0]
    return c.give(c.graph.reshape(_source(c, name), c.result_shape))


@op("squeeze", "unsqueeze", "squeeze_copy", "unsqueeze_copy")
def squeeze(c):
    return c.give(c.graph.reshape(_source(c, "self"), c.result_shape))


def _source(c, name):
    """An image of one pixel has its elements in the same order either way."""
    if c.is_image(c.arguments[name]):
        x = c.image(name)
        if all(size == 1 for size in x.shape[1:-1]):
            return c.graph.reshape(x, [x.shape[i] for i in first_order(x.rank)])
    return c.value(name)


@op("permute", "permute_copy")
def permute(c):
    name = c.names[0]
    order = [d % len(c.shape(name)) for d in c.numbers("dims")]
    return _moved(c, name, order)


@op("transpose", "swapaxes", "swapdims", "transpose_copy")
def transpose(c):
    rank = len(c.shape(c.names[0]))
    order = list(range(rank))
    a, b = (int(c[name]) % rank for name in c.names[1:3])
    order[a], order[b] = order[b], order[a]
    return _moved(c, c.names[0], order)


@op("t", "numpy_T", "t_copy", "mT")
def t(c):
    rank = len(c.shape("self"))
    return _moved(c, "self", list(range(rank - 2)) + list(range(rank))[:-3:-1] if rank > 1 else list(range(rank)))


@op("movedim", "moveaxis")
def movedim(c):
    rank = len(c.shape("self"))
    source, target = ([d % rank for d in c.numbers(name)] for name in c.names[1:3])
    order = [i for i in range(rank) if i not in source]
    for to, what in sorted(zip(target, source)):
        order.insert(to, what)
    return _moved(c, "self", order)


def _moved(c, name, order):
    if not c.is_image(c.arguments[name]):
        value = c.value(name)
        # A value transposed to channels first is held as an image with channels last.
        if value.rank > 3 and order == first_order(value.rank) and value.op is not None:
            return Held(value, True)
        return c.give(c.graph.transpose(value, order))
    x = c.image(name)
    stored = last_order(x.rank)
    return c.give(c.graph.transpose(x, [stored.index(d) for d in order]))


@op("expand", "expand_as", "broadcast_to", "expand_copy")
def expand(c):
    x, shape = c.value("self"), c.result_shape
    if len(shape) > x.rank:
        x = c.graph.reshape(x, [1] * (len(shape) - x.rank) + list(x.shape))
    return c.give(c.graph.broadcast_to(x, shape))


@op("copy")
def copy(c):
    """The second operand in the shape and type of the first one."""
    x, shape = c.value("src", c.result_kind), c.result_shape
    return c.give(c.graph.broadcast_to(c.graph.reshape(x, [1] * (len(shape) - x.rank) + list(x.shape)), shape))


@op("repeat", "tile")
def repeat(c):
    g, shape = c.graph, c.result_shape
    x = c.value("self")
    x = g.reshape(x, [1] * (len(shape) - x.rank) + list(x.shape))
    times = [whole // size for whole, size in zip(shape, x.shape)]
    apart = [n for size, k in zip(x.shape, times) for n in (1, size)]
    wide = [n for size, k in zip(x.shape, times) for n in (k, size)]
    return c.give(g.reshape(g.broadcast_to(g.reshape(x, apart), wide), shape))


@op("repeat_interleave")
def repeat_interleave(c):
    g, x = c.graph, c.value("self")
    if c["dim"] is None or not isinstance(c["repeats"], int):
        raise Unsupported("repeats that differ")
    dim, times = c["dim"] % x.rank, c["repeats"]
    apart = [*x.shape[:dim + 1], 1, *x.shape[dim + 1:]]
    wide = [*x.shape[:dim + 1], times, *x.shape[dim + 1:]]
    return c.give(g.reshape(g.broadcast_to(g.reshape(x, apart), wide), c.result_shape))


# ---- Parts ----

@op("select", "select_copy")
def select(c):
    x = c.value("self")
    dim, at = c["dim"] % x.rank, c["index"]
    at = x.shape[dim] + at if at < 0 else at
    return c.give(c.graph.reshape(c.graph.part(x, dim, at, 1), c.result_shape))


@op("slice", "narrow", "slice_copy")
def slice_(c):
    name = c.names[0]
    image = c.is_image(c.arguments[name])
    x = c.image(name) if image else c.value(name)
    dim = c["dim"] % x.rank
    at = last_order(x.rank).index(dim) if image else dim
    size = x.shape[at]
    begin = c.arguments.get("start") if c.arguments.get("start") is not None else 0
    begin = c.front.plain(begin)
    if not isinstance(begin, (int, Size)):
        raise Unsupported("a part that depends on inputs")
    begin = size + begin if hint(begin) < 0 else begin
    if hint(begin) > hint(size):
        begin = size
    begin = max(hint(begin), 0) if not isinstance(begin, Size) else begin
    return c.give(c.graph.part(x, at, begin, c.result_shape[dim], c.arguments.get("step", 1)), image)


@op("cat", "concat", "concatenate")
def cat(c):
    parts = [a for a in c.arguments["tensors"] if c.front.shape_of(a) != (0,)]
    rank = len(c.result.shape)
    dim = c.arguments.get("dim", 0) % rank
    kind = c.result_kind
    if all(c.is_image(a) for a in parts):
        values = [c.image_of(a) for a in parts]
        return c.give(c.graph.concat(values, last_order(rank).index(dim)), True)
    return c.give(c.graph.concat([c.value_of(a, kind) for a in parts], dim))


@op("stack")
def stack(c):
    rank = len(c.result.shape)
    dim = c.arguments.get("dim", 0) % rank
    parts = [c.value_of(a, c.result_kind) for a in c.arguments["tensors"]]
    apart = [c.graph.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:])) for x in parts]
    return c.give(c.graph.concat(apart, dim))


@op("split", "split_with_sizes", "chunk", "tensor_split", "split_with_sizes_copy")
def split(c):
    image = c.is_image(c.arguments["self"])
    x = c.image("self") if image else c.value("self")
    dim = c.arguments.get("dim", 0) % x.rank
    sizes = [c.front.sizes(part.shape)[dim] for part in c.result]
    return c.give_all(c.graph.split(x, sizes, last_order(x.rank).index(dim) if image else dim), image)


@op("unbind", "unbind_copy")
def unbind(c):
    x = c.value("self")
    dim = c.arguments.get("dim", 0) % x.rank
    shape = (*x.shape[:dim], *x.shape[dim + 1:])
    parts = c.graph.split(x, [1] * hint(x.shape[dim]), dim)
    return c.give_all([c.graph.reshape(part, shape) for part in parts])


# Kinds of padding, by name in PyTorch.
PADS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@op("constant_pad_nd", "pad")
def pad(c):
    given, mode = c.numbers("pad"), c.arguments.get("mode", "constant")
    image = c.is_image(c.arguments["self"])
    x = c.image("self") if image else c.value("self")
    low, high = [0] * x.rank, [0] * x.rank
    order = last_order(x.rank) if image else list(range(x.rank))
    for i in range(len(given) // 2):
        at = order.index(x.rank - 1 - i)
        low[at], high[at] = given[2 * i], given[2 * i + 1]
    if mode != "constant":
        return c.give(_padded_by(c, PADS[mode], x, low, high), image)
    if any(n < 0 for n in low + high):
        begin = [max(-n, 0) for n in low]
        sizes = [size + min(a, 0) + min(b, 0) for size, a, b in zip(x.shape, low, high)]
        x = c.graph.slice(x, begin, sizes)
        low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
    if any(low + high):
        value = float(c.arguments.get("value") or 0.0)
        kind = x.kind
        x = c.graph.cast(c.graph.pad(c.graph.cast(x, "f32"), low, high, value), kind)
    return c.give(x, image)


def _padded_by(c, mode, x, low, high):
    shape = [size + a + b for size, a, b in zip(x.shape, low, high)]
    return c.graph.emit(f"train.pad_mode {mode} {{0}} low {listed(low)} high {listed(high)}", [x], shape, x.kind)


@op("roll")
def roll(c):
    image = c.is_image(c.arguments["self"])
    x = c.image("self") if image else c.value("self")
    shifts, dims = c.numbers("shifts"), c.numbers("dims")
    if not dims:
        raise Unsupported("roll without dims")
    for shift, dim in zip(shifts, dims):
        at = last_order(x.rank).index(dim % x.rank) if image else dim % x.rank
        x = c.graph.unary("roll", x, f" by {shift} along {at}")
    return c.give(x, image)


@op("flip")
def flip(c):
    x = c.value("self")
    return c.give(composed.reverse(c.graph, x, c.dims("dims", x.rank)))


@op("tril", "triu")
def triangle(c):
    g, kind = c.graph, c.result_kind
    x = c.value("self", "i32" if kind == "i1" else kind)
    upper = " upper" * c.node.target._schema.name.endswith("triu")
    return c.give(g.cast(g.unary("trilu", x, f"{upper} diagonal {c['diagonal']}"), kind))


@op("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(c):
    x, g = c.image("self"), c.graph
    n, h, w, channels = x.shape
    if c.node.target._schema.name.endswith("unshuffle"):
        r = c["downscale_factor"]
        y = g.transpose(g.reshape(x, (n, h // r, r, w // r, r, channels)), [0, 1, 3, 5, 2, 4])
        return c.give(g.reshape(y, (n, h // r, w // r, channels * r * r)), True)
    r = c["upscale_factor"]
    y = g.transpose(g.reshape(x, (n, h, w, channels // (r * r), r, r)), [0, 1, 4, 2, 5, 3])
    return c.give(g.reshape(y, (n, h * r, w * r, channels // (r * r))), True)


@op("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(c):
    x, g = c.image("self"), c.graph
    groups = c["groups"]
    y = g.reshape(x, (*x.shape[:3], groups, x.shape[3] // groups))
    return c.give(g.reshape(g.transpose(y, [0, 1, 2, 4, 3]), x.shape), True)


@op("unfold")
def unfold(c):
    """Windows along a dimension."""
    g, x = c.graph, c.value("self")
    dim, size, step = c["dimension"] % x.rank, c["size"], c["step"]
    number = (hint(x.shape[dim]) - size) // step + 1
    parts = [g.part(x, dim, i * step, size) for i in range(number)]
    order = [i for i in range(x.rank) if i != dim] + [dim]
    moved = [g.transpose(part, order) for part in parts]
    apart = [g.reshape(m, (*m.shape[:dim], 1, *m.shape[dim:])) for m in moved]
    return c.give(g.concat(apart, dim))
