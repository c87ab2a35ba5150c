# Recurrent layers of PyTorch, exported and compiled in f64: predictions and gradients beside PyTorch's.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recurrent.py FOLDER [NAME...]"""
import copy
import sys

import torch
from torch import nn
from torch._higher_order_ops.scan import scan

import ampc_export
import compiled
import harness

BAR = 1e-11
ROWS, ROUNDS, WIDTH = 4, 5, 3


class Layers(nn.Module):
    """Reads all results, with a weight of its own for every element; `starts` gives first states."""

    def __init__(self, layers, first=False):
        super().__init__()
        self.layers, self.first = layers, first

    def forward(self, x, **more):
        if self.first:
            x = x.tanh()
            parts = 1 + isinstance(self.layers, nn.LSTM)
            number = self.layers.num_layers * (2 if self.layers.bidirectional else 1)
            widths = [self.layers.proj_size or self.layers.hidden_size, self.layers.hidden_size][:parts]
            rows = x.reshape(ROWS, -1) if self.layers.batch_first else x.transpose(0, 1).reshape(ROWS, -1)
            more["hx"] = [rows[None, :, :width].repeat(number, 1, 1) for width in widths]
            more["hx"] = tuple(more["hx"]) if parts == 2 else more["hx"][0]
        return weighted(*self.run(x, **more))

    def run(self, x, hx=None):
        return self.layers(x, hx)


def weighted(y, state):
    parts = [y, *(state if isinstance(state, tuple) else [state])]
    return sum((part * (torch.arange(part.numel()) % 7 - 3).to(part.dtype).reshape(part.shape)).sum() for part in parts)


class Padded(Layers):
    """Sequences of several lengths, and two layers of one direction each that have not the same."""

    def forward(self, x, lengths):
        y, state = ampc_export.padded(self.layers, x, lengths)
        return weighted(y, state) + weighted(*ampc_export.padded(self.layers, x * 2, lengths.flip(0)))


class Cells(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(WIDTH, 4, **options), nn.GRUCell(4, 4, **options)
        self.rnn, self.relu = nn.RNNCell(4, 4, **options), nn.RNNCell(4, 4, nonlinearity="relu", **options)

    def forward(self, x):
        h, c = self.lstm(x[:, 0])
        h, c = self.lstm(x[:, 1], (h, c))
        return weighted(self.relu(self.rnn(self.gru(h, c), c), h), c)


class Scan(nn.Module):
    """torch's own loop: two carried values, two sequences, a loop in it, and what it reads from outside."""

    def __init__(self):
        super().__init__()
        self.wx, self.wh = nn.Parameter(torch.randn(WIDTH, 4) * 0.5), nn.Parameter(torch.randn(4, 4) * 0.5)
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        x = x.transpose(0, 1)
        outside = (x.mean(0) @ self.wx).sigmoid()

        def step(carried, row):
            h, total = carried
            h = torch.tanh(row[0] @ self.wx + h @ self.wh) * outside
            h, _ = scan(lambda c, r: (self.cell(c, r), r.sum()), h, torch.stack([h, h * 2]))
            return (h, total + row[1]), (h + 1, row[1] * h.sum())
        start = (torch.zeros(ROWS, 4, dtype=x.dtype), x[0, 0, 0] * 1)
        (h, total), (every, sums) = scan(step, start, (x, x.sum((1, 2))), reverse=True)
        return weighted(every, (h, total.reshape(1), sums))


def sequences(batch_first):
    return torch.randn(ROWS, ROUNDS, WIDTH) if batch_first else torch.randn(ROUNDS, ROWS, WIDTH)


def layers(kind, first=False, rounds=ROUNDS, **options):
    module = Layers(kind(WIDTH, 4, **options), first)
    x = sequences(options.get("batch_first"))
    return module, {"x": x.repeat(1, 1 + rounds // ROUNDS, 1)[:, :rounds] if rounds != ROUNDS else x}


def padded(kind, **options):
    return Padded(kind(WIDTH, 4, **options)), {"x": sequences(options.get("batch_first")), "lengths": torch.tensor([3, 5, 1, 4])}


def rows(module):
    return module, {"x": torch.randn(ROWS, ROUNDS, WIDTH)}


CASES = {
    "lstm": lambda: layers(nn.LSTM, batch_first=True),
    "lstm_all": lambda: layers(nn.LSTM, True, num_layers=2, bidirectional=True, proj_size=2),
    "lstm_bare": lambda: layers(nn.LSTM, True, num_layers=3, bias=False, batch_first=True),
    "lstm_long": lambda: layers(nn.LSTM, rounds=100, batch_first=True),
    "lstm_padded": lambda: padded(nn.LSTM, num_layers=2, bidirectional=True, batch_first=True),
    "gru": lambda: layers(nn.GRU, True, num_layers=2, bidirectional=True, batch_first=True),
    "gru_bare": lambda: layers(nn.GRU, bias=False),
    "gru_padded": lambda: padded(nn.GRU, bidirectional=True),
    "rnn": lambda: layers(nn.RNN, True, num_layers=2, bidirectional=True),
    "rnn_relu": lambda: layers(nn.RNN, nonlinearity="relu", batch_first=True),
    "rnn_padded": lambda: padded(nn.RNN, nonlinearity="relu", num_layers=2, batch_first=True),
    "cells": lambda: rows(Cells()),
    "cells_bare": lambda: rows(Cells(bias=False)),
    "scan": lambda: rows(Scan()),
}


def errors(name, folder):
    """Of the loss, which a compiled model reports in f32, and of the gradients."""
    module, inputs = CASES[name]()
    double = copy.deepcopy(module).double()
    ampc_export.torch(module, inputs, path=f"{folder}/{name}.mlir", batch=False)
    model = compiled.loaded(name, folder, double=True)
    wide = {key: x.double() if x.is_floating_point() else x for key, x in inputs.items()}
    loss = double(**wide)
    loss.backward()
    given = [wide[key].numpy() if wide[key].is_floating_point() else wide[key].int().numpy() for key in compiled.inputs_of(model.grad)]
    model.grad(*given)
    wanted = {key: p.grad.numpy() for key, p in double.named_parameters()}
    error = max(compiled.distance(compiled.gradient(model, key, want.shape), want) for key, want in wanted.items())
    return compiled.distance(model.train_step(*given).loss, loss.item()), error


def dropped(folder):
    """Dropout between layers is in the text of training, and in no other."""
    module = Layers(nn.LSTM(WIDTH, 4, num_layers=3, dropout=0.25))
    for training in (True, False):
        path = f"{folder}/dropped_{training}.mlir"
        ampc_export.torch(module, {"x": sequences(False)}, path=path, training=training)
        print(f"dropped: {open(path).read().count('train.dropout')} between 3 layers")


def main():
    folder, faults = harness.folder(), 0
    for name in sys.argv[2:] or CASES:
        torch.manual_seed(0)
        loss, error = errors(name, folder)
        good = error <= BAR and loss <= 1e-6
        faults += not good
        print(f"{name:12} gradients {error:7.1e}  loss {loss:7.1e}{'' if good else ' !'}", flush=True)
    dropped(folder)
    print(f"{faults} beyond their bars")
    sys.exit(bool(faults))


main()
