# Primitives of JAX that run other functions or read known numbers. A converter takes the walk, the equation and the values of its operands.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from ampc_export.errors import Unsupported
from ampc_export.registry import Registry

control = Registry("ampc_export.lax", "loops")
CALLS = {"pjit": "jaxpr", "jit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat": "jaxpr", "remat2": "jaxpr",
         "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "custom_vjp_call_jaxpr": "fun_jaxpr"}


def _register():
    for name, key in CALLS.items():
        control(name)(lambda walk, equation, given, key=key: walk.run(equation.params[key], given))


_register()


def _rows_from(g, x, along, begin, size):
    """`size` elements along one dimension from a computed place on, which is moved to where the part fits."""
    begin = g.binary("minimum", g.binary("maximum", begin, g.scalar(0, "i32")), g.scalar(x.shape[along] - size, "i32"))
    places = g.reshape(begin, (1,))
    if size > 1:
        places = g.binary("add", g.emit(f"train.iota along 0 : i32[{size}]", [], (size,), "i32"), places)
    order = [along, *(i for i in range(x.rank) if i != along)]
    moved = g.transpose(x, order)
    flat = g.reshape(moved, (moved.shape[0], int(np.prod(moved.shape[1:], dtype=int))))
    rows = g.emit("train.gather {0} at {1}", [flat, places], (size, flat.shape[1]), x.kind)
    return g.transpose(g.reshape(rows, (size, *moved.shape[1:])), [order.index(i) for i in range(x.rank)])


@control("dynamic_slice")
def dynamic_slice(walk, equation, given):
    x, begins, sizes = given[0], given[1:], list(equation.params["slice_sizes"])
    known = [isinstance(begin, np.ndarray) for begin in begins]
    begin = [min(max(int(b), 0), whole - size) if k else 0 for b, k, whole, size in zip(begins, known, x.shape, sizes)]
    if isinstance(x, np.ndarray) and all(known):
        return [x[tuple(slice(b, b + size) for b, size in zip(begin, sizes))]]
    part = walk.graph.slice(walk.value(x), begin, [size if k else whole for k, whole, size in zip(known, x.shape, sizes)])
    for along in (i for i, k in enumerate(known) if not k):
        part = _rows_from(walk.graph, part, along, begins[along], sizes[along])
    return [part]


@control("dynamic_update_slice")
def dynamic_update_slice(walk, equation, given):
    """Elements of the update, spread over the whole, where their places are; the others stay."""
    g, x, update = walk.graph, walk.value(given[0]), walk.value(given[1])
    inside = None
    for along, (begin, whole, size) in enumerate(zip(given[2:], x.shape, update.shape)):
        if size == whole:
            continue
        place = g.emit(f"train.iota along 0 : i32[{whole}]", [], (whole,), "i32")
        begin = g.binary("minimum", g.binary("maximum", walk.value(begin), g.scalar(0, "i32")), g.scalar(whole - size, "i32"))
        place = g.binary("sub", place, begin)
        if size > 1:
            update = _spread(g, update, along, place)
        hits = g.binary("minimum", *(g.cast(g.binary(f"compare {relation}", place, g.scalar(bound, "i32")), "i32")
                                     for relation, bound in (("ge", 0), ("lt", size))))
        hits = g.reshape(hits, [whole if i == along else 1 for i in range(x.rank)])
        inside = hits if inside is None else g.binary("minimum", inside, hits)
    return [update if inside is None else g.select(g.cast(inside, "i1"), update, x)]


def _spread(g, update, along, place):
    """The element at every place along one dimension; beyond the update its first or last one."""
    size = update.shape[along]
    place = g.binary("minimum", g.binary("maximum", place, g.scalar(0, "i32")), g.scalar(size - 1, "i32"))
    order = [along, *(i for i in range(update.rank) if i != along)]
    moved = g.transpose(update, order)
    flat = g.reshape(moved, (size, int(np.prod(moved.shape[1:], dtype=int))))
    rows = g.emit("train.gather {0} at {1}", [flat, place], (*place.shape, flat.shape[1]), update.kind)
    rows = g.reshape(rows, (*place.shape, *moved.shape[1:]))
    return g.transpose(rows, [order.index(i) for i in range(update.rank)])


@control("cond")
def cond(walk, equation, given):
    if not isinstance(given[0], np.ndarray):
        raise Unsupported("a branch that depends on inputs")
    branches = equation.params["branches"]
    return walk.run(branches[min(max(int(given[0]), 0), len(branches) - 1)], given[1:])
