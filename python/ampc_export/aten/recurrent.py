# Recurrent layers and cells of ATen, and loops of torch: train.lstm, gru, rnn and scan.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import typing

from ampc_export.aten import op
from ampc_export.aten.converter import Held, Unsupported
from ampc_export.layers import NAME
from ampc_export.sizes import hint

LAYERS = {"lstm": ("lstm", ""), "gru": ("gru", " reset_after"), "rnn_tanh": ("rnn", ""), "rnn_relu": ("rnn", " activation relu")}


class Weights(typing.NamedTuple):
    """As the ops read them: [in, gates H], [P, gates H], [gates H] for x and for h, and [H, P]; absent ones are None."""

    inward: object
    hidden: object
    bias: object
    hidden_bias: object
    projection: object


def _weights(g, name, values, has_biases, is_projected):
    """PyTorch has columns as rows. The two biases of a sum are one, except in a GRU, where the second one is reset."""
    values = list(values)
    projection = g.transpose(values.pop(), [1, 0]) if is_projected else None
    inward, hidden = (g.transpose(value, [1, 0]) for value in values[:2])
    bias, hidden_bias = values[2:] if has_biases else (None, None)
    if has_biases and name != "gru":
        bias, hidden_bias = g.binary("add", bias, hidden_bias), None
    return Weights(inward, hidden, bias, hidden_bias, projection)


def _emit(g, name, x, weights, states, lengths, options, types):
    """%y, %h, %c = train.lstm %x, %wx, %wh, %b from %h0, %c0 lengths %n project %wp OPTIONS"""
    operands, form = [], f"train.{name} "

    def listed(values):
        first = len(operands)
        operands.extend(values)
        return ", ".join(f"{{{first + i}}}" for i in range(len(values)))
    form += listed([v for v in (x, weights.inward, weights.hidden, weights.bias, weights.hidden_bias) if v is not None])
    for word, values in ((" from ", states), (" lengths ", [lengths]), (" project ", [weights.projection])):
        given = [value for value in values if value is not None]
        form += word + listed(given) if given else ""
    return g.emit_several(form + options, operands, types)


def _is_zero(value):
    """A constant 0 in every element."""
    while value.op is not None and value.op.form.startswith(("train.broadcast_to ", "train.reshape ")):
        value = value.op.operands[0]
    return value.op is not None and value.op.form.startswith("train.constant dense<0.0>")


class Stack:
    """Layers that read one another, each in one direction or two; states are [layers * directions, batch, width]."""

    def __init__(self, g, name, params, starts, has_biases, layers, bidirectional, batch_first):
        self.g, self.name, self.has_biases, self.batch_first = g, name, has_biases, batch_first
        self.directions = 2 if bidirectional else 1
        self.layers, each = layers, len(params) // (layers * self.directions)
        self.params = [params[i:i + each] for i in range(0, len(params), each)]
        self.is_projected = each in (3, 5)
        self.starts = starts if any(not _is_zero(start) for start in starts) else []

    def side(self, x, at, lengths):
        """A direction of a layer: all states, then the last ones."""
        g, (kind, options) = self.g, LAYERS[self.name]
        weights = _weights(g, self.name, self.params[at], self.has_biases, self.is_projected)
        states = [g.reshape(g.part(start, 0, at, 1), start.shape[1:]) for start in self.starts]
        batch, width = x.shape[0 if self.batch_first else 1], weights.hidden.shape[0]
        types = [((*x.shape[:2], width), "f32"), ((batch, width), "f32")]
        if kind == "lstm":
            types.append(((batch, hint(weights.hidden.shape[1]) // 4), "f32"))
        options += " reverse" * (at % self.directions) + " batch_first" * self.batch_first
        return _emit(g, kind, x, weights, states, lengths, options, types)

    def run(self, x, lengths=None, dropout=0.0):
        """The last layer's states in all rounds, then the last states of all layers."""
        g, last = self.g, []
        for layer in range(self.layers):
            if layer and dropout:
                x = g.unary("dropout", x, f" rate {float(dropout)}")
            sides = [self.side(x, at, lengths) for at in range(layer * self.directions, (layer + 1) * self.directions)]
            x = g.concat([side[0] for side in sides], 2)
            last += [side[1:] for side in sides]
        return [x] + [g.concat([g.reshape(v, (1, *v.shape)) for v in values], 0) for values in zip(*last)]


@op("lstm", "gru", "rnn_tanh", "rnn_relu")
def recurrent(c):
    name = c.node.target._schema.name.removeprefix("aten::")
    if "batch_sizes" in c.arguments:
        raise Unsupported("packed sequences; ampc_export.padded takes lengths instead")
    starts = c.values("hx") if name == "lstm" else [c.value("hx")]
    stack = Stack(c.graph, name, c.values("params"), starts, c["has_biases"], c["num_layers"], c["bidirectional"], c["batch_first"])
    return [Held(v) for v in stack.run(c.value("input", "f32"), dropout=c["dropout"] if c["train"] else 0.0)]


@op(NAME)
def padded(c):
    """Sequences of several lengths in one tensor."""
    stack = Stack(c.graph, c["kind"], c.values("params"), c.values("states"), c["has_biases"], c["layers"], c["bidirectional"], c["batch_first"])
    return [Held(v) for v in stack.run(c.value("x", "f32"), c.value("lengths", "i32"), c["dropout"])]


@op("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")
def cell(c):
    g, name = c.graph, c.node.target._schema.name.removeprefix("aten::").removesuffix("_cell")
    kind, options = LAYERS[name]
    states = c.values("hx") if name == "lstm" else [c.value("hx")]
    biases = [c.value("b_ih"), c.value("b_hh")]
    has_biases = biases[0] is not None
    weights = _weights(g, name, [c.value("w_ih"), c.value("w_hh"), *biases * has_biases], has_biases, False)
    made = _emit(g, f"{kind}_cell", c.value("input", "f32"), weights, states, None, options, [(v.shape, "f32") for v in states])
    return [Held(value) for value in made] if name == "lstm" else c.give(made[0])
