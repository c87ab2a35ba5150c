# Recurrent layers and cells against NumPy for 1, 2 and 35 rounds: recurrent.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import functools
import itertools
import sys

import numpy as np

random = np.random.default_rng(6)
B, I, H, P, ROUNDS = 3, 4, 5, 2, (1, 2, 35)
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
ONE_CASE = {"rnn": "rnn", "gru": "rzn", "lstm": "ifgo"}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gates_of(kind, v, names):
    """The blocks of v's last dimension by letter, in the order of `names`."""
    return dict(zip(names, np.split(v, GATES[kind], -1)))


def rnn(x, h, _, o, relu):
    sums = x @ o["wx"] + h @ o["wh"] + o.get("b", 0)
    return (np.maximum(sums, 0) if relu else np.tanh(sums)), None


def gru(x, h, _, o, names, after):
    of_x, of_h = gates_of("gru", x @ o["wx"] + o.get("b", 0), names), gates_of("gru", h @ o["wh"], names)
    bias = gates_of("gru", o["bh"], names) if "bh" in o else dict.fromkeys(names, 0)
    r, z = (sigmoid(of_x[gate] + of_h[gate] + bias[gate]) for gate in "rz")
    n_weight = gates_of("gru", o["wh"], names)["n"]
    n = np.tanh(of_x["n"] + (r * (of_h["n"] + bias["n"]) if after else (r * h) @ n_weight + bias["n"]))
    return (1 - z) * n + z * h, None


def lstm(x, h, c, o, names):
    sums = gates_of("lstm", x @ o["wx"] + h @ o["wh"] + o.get("b", 0), names)
    seeing = [gate for gate in names if gate != "g"]
    peep = dict(zip(seeing, np.split(o["p"], 3))) if "p" in o else dict.fromkeys(seeing, 0)
    i, f = (sigmoid(sums[gate] + peep[gate] * c) for gate in "if")
    c = f * c + i * np.tanh(sums["g"])
    h = sigmoid(sums["o"] + peep["o"] * c) * np.tanh(c)
    return (h @ o["wp"] if "wp" in o else h), c


def layer(cell, o, reverse=False, first=False):
    """Every sequence alone, from its first or last row, so that a length is the number of rounds."""
    x = o["x"] if first else o["x"].transpose(1, 0, 2)
    width = o["wh"].shape[0]
    states, last_h, last_c = np.zeros((*x.shape[:2], width)), [], []
    for row, rows in enumerate(x):
        h = o["h0"][row] if "h0" in o else np.zeros(width)
        c = o["c0"][row] if "c0" in o else np.zeros(H) if cell.has_cell_state else None
        count = o["n"][row] if "n" in o else len(rows)
        for t in reversed(range(count)) if reverse else range(count):
            h, c = cell(rows[t], h, c, o)
            states[row, t] = h
        last_h.append(h)
        last_c.append(c)
    states = states if first else states.transpose(1, 0, 2)
    return states, np.stack(last_h), *([np.stack(last_c)] if last_c[0] is not None else [])


def case(kind, used, words="", is_cell=False, **options):
    """(kind, operands by name, words of the text, function of the operands)"""
    options.setdefault("names", ONE_CASE[kind]) if kind != "rnn" else options.setdefault("relu", False)
    reverse, first = "reverse" in words, "batch_first" in words
    if kind == "gru":
        options["after"] = "reset_after" in words

    def function(o):
        cell = functools.partial(globals()[kind], **options)
        cell.has_cell_state = kind == "lstm"
        if is_cell:
            return [v for v in cell(o["x"], o["h0"], o.get("c0"), o) if v is not None]
        return layer(cell, o, reverse, first)
    return kind + ("_cell" if is_cell else ""), used.split(), words, function


CASES = [
    case("rnn", "x wx wh b"),
    case("rnn", "x wx wh h0 n", "reverse", relu=False),
    case("rnn", "x wx wh b h0", "activation relu batch_first", relu=True),
    case("gru", "x wx wh b bh", "reset_after"),
    case("gru", "x wx wh b bh h0 n", "reset_after reverse"),
    case("gru", "x wx wh b bh h0 n", 'gates "zrn" batch_first', names="zrn"),
    case("gru", "x wx wh"),
    case("lstm", "x wx wh b"),
    case("lstm", "x wx wh b h0 c0 n", "reverse batch_first"),
    case("lstm", "x wx wh b h0 c0 p", 'gates "iofg"', names="iofg"),
    case("lstm", "x wx wh b h0 c0 n wp", "", names="ifgo"),
    case("lstm", "x wx wh n wp p", 'gates "gofi" reverse', names="gofi"),
    case("rnn", "x wx wh h0", is_cell=True),
    case("gru", "x wx wh b h0", is_cell=True),
    case("gru", "x wx wh b bh h0", 'reset_after gates "zrn"', is_cell=True, names="zrn"),
    case("lstm", "x wx wh b h0 c0 wp p", is_cell=True),
]


def inputs(rounds, kind, used, words):
    gates = GATES[kind.split("_")[0]] * H
    states = P if "wp" in used else H
    x = (B, I) if kind.endswith("cell") else (B, rounds, I) if "batch_first" in words else (rounds, B, I)
    shapes = dict(x=x, wx=(I, gates), wh=(states, gates), b=(gates,), bh=(gates,), h0=(B, states), c0=(B, H), wp=(H, P), p=(3 * H,))
    made = {name: random.normal(size=shapes[name]) for name in used if name != "n"}
    if "n" in used:
        made["n"] = np.array([0, rounds, (rounds + 1) // 2], np.int32)
    return made


MODEL = [(f"{kind}{i}at{rounds}", kind, words, function, inputs(rounds, kind, used, words))
         for rounds in ROUNDS for i, (kind, used, words, function) in enumerate(CASES)
         if rounds == 1 or not kind.endswith("cell")]


def text_of(kind, words, given):
    weights = ", ".join(f"%{name}" for name in ("x", "wx", "wh", "b", "bh") if name in given)
    words_of = [("from", "h0"), (",", "c0"), ("lengths", "n"), ("project", "wp"), ("peepholes", "p")]
    behind = " ".join(f"{word} %{name}" for word, name in words_of if name in given)
    return f"train.{kind} {weights} {behind} {words}"


def print_model():
    print("train.model @recurrent {")
    for name, kind, words, function, given in MODEL:
        types = ", ".join(f"%{key}: {'i32' if key == 'n' else 'f64'}[{', '.join(map(str, value.shape))}]" for key, value in given.items())
        outs = ", ".join(f"%out{i}" for i in range(len(function(given))))
        print(f"  train.func @{name}({types}) {{\n    {outs} = {text_of(kind, words, given)}")
        print(f'    train.return {outs}\n  }}\n  train.export @{name} as "{name}"')
    print("}")


def run(folder):
    sys.path.insert(0, folder)
    import recurrent as compiled
    model, arrays, wrong = compiled.Model(), 0, 0
    for name, _, _, function, given in MODEL:
        have = getattr(model, name)(*given.values())
        for have, want in itertools.zip_longest(have.values() if isinstance(have, dict) else (have,), function(given)):
            arrays += 1
            if np.shape(have) != np.shape(want) or not np.allclose(have, want, 1e-12, 1e-12):
                wrong += 1
                print(f"{name}: expected\n{want}\nbut got\n{have}")
    print(f"{arrays} arrays, {wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
