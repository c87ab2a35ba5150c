# Recurrent layers and cells in NumPy, from docs/language.md.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re

import numpy as np

import running
from layers import matmul_of
from ops import OPS, op
from running import Val, add, in_type, mul, real, select, stored, sub

NAMES = {"rnn": "x wx wh b h0 n", "gru": "x wx wh b bh h0 n", "lstm": "x wx wh b h0 c0 n wp p",
         "rnn_cell": "x wx wh b h0", "gru_cell": "x wx wh b bh h0", "lstm_cell": "x wx wh b h0 c0 wp p"}


def call(name, x):
    return stored(OPS["train." + name]({}, x)[0])


def named(kind, o, values):
    """Operands by name; absent ones are None."""
    names = NAMES[kind].split()
    if "operandSegmentSizes" in o.attributes:
        counts = [int(n) for n in re.findall(r"\d+", str(o["operandSegmentSizes"]).split(":")[-1])]
    else:
        counts = [1, 1, 1, len(values) - 4, 1]
    values = list(values)
    return {name: values.pop(0) if count else None for name, count in zip(names, counts)}


class Layer:
    def __init__(self, kind, o, values):
        self.kind, self.o = kind.split("_")[0], o
        self.v = named(kind, o, values)
        self.count = {"rnn": 1, "gru": 3, "lstm": 4}[self.kind]
        self.cells = self.v["wx"].shape[1] // self.count
        self.gates = (o["gates"] or {"gru": "rzn", "lstm": "ifgo"}[self.kind]) if self.count > 1 else "x"

    def block(self, x, letter, letters=None):
        i = (letters or self.gates).index(letter)
        return x.moved(lambda a: a[..., i * self.cells:(i + 1) * self.cells])

    def plus(self, x, name, letter=None):
        bias = self.v[name]
        return x if bias is None else stored(add(x, bias if letter is None else self.block(bias, letter)))

    def element(self, x):
        return in_type(x, self.o.result_types[0][1])

    def next(self, x, h, c):
        of_x = self.plus(stored(matmul_of(x, self.v["wx"])), "b")
        return getattr(self, self.kind)(of_x, h, c)

    def rnn(self, of_x, h, _):
        sums = stored(add(of_x, stored(matmul_of(h, self.v["wh"]))))
        return self.element(call("relu" if self.o["activation"] in (1, "relu") else "tanh", sums)), None

    def gru(self, of_x, h, _):
        of_h = stored(matmul_of(h, self.v["wh"]))
        gate = lambda letter: call("sigmoid", stored(add(self.block(of_x, letter), self.plus(self.block(of_h, letter), "bh", letter))))
        r, z = gate("r"), gate("z")
        if self.o["reset_after"]:
            new = mul(r, self.plus(self.block(of_h, "n"), "bh", "n"))
        else:
            new = self.plus(stored(matmul_of(self.element(stored(mul(r, h))), self.block(self.v["wh"], "n"))), "bh", "n")
        n = call("tanh", stored(add(self.block(of_x, "n"), stored(new))))
        return self.element(stored(add(n, stored(mul(z, stored(sub(h, n))))))), None

    def lstm(self, of_x, h, c):
        sums = stored(add(of_x, stored(matmul_of(h, self.v["wh"]))))
        seeing = [letter for letter in self.gates if letter != "g"]

        def gate(letter, state):
            x = self.block(sums, letter)
            return x if self.v["p"] is None else stored(add(x, stored(mul(self.block(self.v["p"], letter, seeing), state))))
        i, f = call("sigmoid", gate("i", c)), call("sigmoid", gate("f", c))
        c = stored(add(stored(mul(f, c)), stored(mul(i, call("tanh", self.block(sums, "g"))))))
        h = self.element(stored(mul(call("sigmoid", gate("o", c)), call("tanh", c))))
        return h if self.v["wp"] is None else self.element(stored(matmul_of(h, self.v["wp"]))), c

    def first(self, rows):
        zeros = lambda width: Val(np.zeros((rows, width)))
        h, c = self.v["h0"], self.v.get("c0")
        return h or zeros(self.v["wh"].shape[0]), (c or zeros(self.cells)) if self.kind == "lstm" else None

    def last(self, h, c):
        return [h] if c is None else [h, self.element(c)]

    def layer(self):
        swap = lambda x: x.moved(lambda a: np.swapaxes(a, 0, 1)) if self.o["batch_first"] else x
        x = swap(self.v["x"])
        rounds, rows, _ = x.shape
        h, c = self.first(rows)
        kept = [None] * rounds
        for t in reversed(range(rounds)) if self.o["reverse"] else range(rounds):
            new_h, new_c = self.next(x.moved(lambda a: a[t]), h, c)
            if self.v["n"] is None:
                h, c, kept[t] = new_h, new_c, new_h
                continue
            live = Val(np.less(t, self.v["n"].v)[:, None])
            kept[t] = select(live, new_h, real(0.0))
            h, c = select(live, new_h, h), None if c is None else select(live, new_c, c)
        return [swap(running.moved_all(lambda *rows: np.stack(rows), *kept)), *self.last(h, c)]


for _kind in ("rnn", "gru", "lstm"):
    OPS["train." + _kind] = lambda o, *values, kind=_kind: Layer(kind, o, values).layer()


def cell(kind):
    def run(o, *values):
        layer = Layer(kind, o, values)
        return layer.last(*layer.next(layer.v["x"], *layer.first(layer.v["x"].shape[0])))
    return run


for _kind in ("rnn_cell", "gru_cell", "lstm_cell"):
    OPS["train." + _kind] = cell(_kind)
