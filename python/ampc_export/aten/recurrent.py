# Recurrent layers of ATen, step by step.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported
from ampc_export.sizes import hint

MOST_STEPS = 2048


def _gates(g, sums, width):
    return g.split(sums, [width] * (hint(sums.shape[-1]) // width), 1)


def _lstm(g, from_x, from_h, state):
    """Gates i, f, g, o."""
    i, f, new, o = _gates(g, g.binary("add", from_x, from_h), hint(state[1].shape[-1]))
    kept = g.binary("mul", g.unary("sigmoid", f), state[1])
    c = g.binary("add", kept, g.binary("mul", g.unary("sigmoid", i), g.unary("tanh", new)))
    return g.binary("mul", g.unary("sigmoid", o), g.unary("tanh", c)), c


def _gru(g, from_x, from_h, state):
    """Gates r, z, n; what is reset is the product with the state, and its bias."""
    width = hint(state[0].shape[-1])
    (r, z, n), (hr, hz, hn) = _gates(g, from_x, width), _gates(g, from_h, width)
    r, z = g.unary("sigmoid", g.binary("add", r, hr)), g.unary("sigmoid", g.binary("add", z, hz))
    n = g.unary("tanh", g.binary("add", n, g.binary("mul", r, hn)))
    return (g.binary("add", n, g.binary("mul", z, g.binary("sub", state[0], n))),)


def _simple(activation):
    return lambda g, from_x, from_h, state: (g.unary(activation, g.binary("add", from_x, from_h)),)


CELLS = {"lstm": _lstm, "gru": _gru, "rnn_tanh": _simple("tanh"), "rnn_relu": _simple("relu")}


def _step(g, cell, from_x, state, weights):
    """The states behind a step; `weights` are those of the state, its bias, and a projection."""
    hidden, bias, projection = weights
    state = cell(g, from_x, g.linear(state[0], hidden, bias, transpose_weight=True), state)
    return state if projection is None else (g.linear(state[0], projection, transpose_weight=True), *state[1:])


def _direction(g, cell, x, state, weights, reverse):
    """All steps of one layer: [steps, rows, width], and the last states."""
    inward, hidden, inward_bias, hidden_bias, projection = weights
    steps = hint(x.shape[0])
    if steps > MOST_STEPS:
        raise Unsupported(f"{steps} steps, of which at most {MOST_STEPS} are written out")
    from_x = g.linear(x, inward, inward_bias, transpose_weight=True)
    parts = [g.reshape(part, part.shape[1:]) for part in g.split(from_x, [1] * steps, 0)]
    made = [None] * steps
    for at in reversed(range(steps)) if reverse else range(steps):
        state = _step(g, cell, parts[at], state, (hidden, hidden_bias, projection))
        made[at] = g.reshape(state[0], (1, *state[0].shape))
    return g.concat(made, 0), state


def _weights(values, has_biases, projected):
    """In the order of _direction."""
    values = list(values)
    projection = values.pop() if projected else None
    return (*values[:2], *(values[2:] if has_biases else (None, None)), projection)


@op("lstm", "gru", "rnn_tanh", "rnn_relu")
def recurrent(c):
    g, name = c.graph, c.node.target._schema.name.removeprefix("aten::")
    if "batch_sizes" in c.arguments:
        raise Unsupported("packed sequences")
    x, params = c.value("input", "f32"), c.values("params")
    x = g.transpose(x, [1, 0, 2]) if c["batch_first"] else x
    starts = c.values("hx") if name == "lstm" else [c.value("hx")]
    layers, directions = c["num_layers"], 2 if c["bidirectional"] else 1
    each = len(params) // (layers * directions)
    last = [[] for _ in starts]
    for layer in range(layers):
        if layer and c["train"] and c["dropout"]:
            x = g.unary("dropout", x, f" rate {float(c['dropout'])}")
        sides = []
        for at in range(layer * directions, (layer + 1) * directions):
            state = tuple(g.reshape(g.part(start, 0, at, 1), start.shape[1:]) for start in starts)
            weights = _weights(params[at * each:(at + 1) * each], c["has_biases"], each in (3, 5))
            side, state = _direction(g, CELLS[name], x, state, weights, at % directions == 1)
            sides.append(side)
            for found, value in zip(last, state):
                found.append(g.reshape(value, (1, *value.shape)))
        x = g.concat(sides, 2)
    x = g.transpose(x, [1, 0, 2]) if c["batch_first"] else x
    return [Held(x)] + [Held(g.concat(found, 0)) for found in last]


@op("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
def cell(c):
    g, name = c.graph, c.node.target._schema.name.removeprefix("aten::").removesuffix("_cell")
    state = tuple(c.values("hx")) if name == "lstm" else (c.value("hx"),)
    from_x = g.linear(c.value("input", "f32"), c.value("w_ih"), c.value("b_ih"), transpose_weight=True)
    state = _step(g, CELLS[name], from_x, state, (c.value("w_hh"), c.value("b_hh"), None))
    return [Held(value) for value in state] if name == "lstm" else c.give(state[0])
