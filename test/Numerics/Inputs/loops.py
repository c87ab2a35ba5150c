# Loops against loops of Python for 1, 2 and 35 rounds: loops.py model | run FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

random = np.random.default_rng(5)
B, I, H, ROUNDS = 3, 4, 5, (1, 2, 35)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def scan(step, carried, *rows, times=None, reverse=False):
    """step(row number, carried, *rows) gives the next carried values and the kept ones."""
    count = len(rows[0]) if rows else times
    kept = [None] * count
    for i in reversed(range(count)) if reverse else range(count):
        carried, kept[i] = step(i, carried, *(row[i] for row in rows))
    return [*carried, *(np.stack(each) for each in zip(*kept))]


def lstm(xs, h, c, w, u, b):
    def step(_, carried, x):
        i, f, g, o = np.split(x @ w + carried[0] @ u + b, 4, 1)
        c = sigmoid(f) * carried[1] + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (h, c), (h,)
    return step, (h, c), xs


LSTM = """carry %a = %h, %k = %c over %x = %xs{direction} {{
      %p = train.linear %x, %w, %b
      %q = train.matmul %a, %u
      %r = train.add %p, %q
      %i, %f, %g, %o = train.split %r into [5, 5, 5, 5] along 1
      %fs = train.sigmoid %f
      %old = train.mul %fs, %k
      %is = train.sigmoid %i
      %gt = train.tanh %g
      %new = train.mul %is, %gt
      %k1 = train.add %old, %new
      %os = train.sigmoid %o
      %ct = train.tanh %k1
      %a1 = train.mul %os, %ct
      train.next %a1, %k1 each %a1
    }}"""


def run_lstm(reverse):
    def run(xs, h, c, w, u, b):
        step, carried, rows = lstm(xs, h, c, w, u, b)
        return scan(step, carried, rows, reverse=reverse)
    return run


def nested(xs, h):
    def outer(_, carried, x):
        def inner(j, carried, y):
            return (np.tanh(carried[0] + y * (j + 1)),), (carried[0] * y,)
        carried, kept = scan(inner, (carried[0],), x)
        return (carried,), (kept,)
    return scan(outer, (h,), xs, reverse=True)


def without_each(xs, h, c):
    return scan(lambda i, carried, x: ((carried[1], np.tanh(carried[0] * x)), ()), (h, c), xs)[:2]


CASES = {
    "lstm": ("xs h c w u b", 3, LSTM.format(direction=""), run_lstm(False)),
    "back": ("xs h c w u b", 3, LSTM.format(direction=" reverse"), run_lstm(True)),
    # Two carried values change places; nothing is kept.
    "swap": ("zs h c", 2, """carry %a = %h, %k = %c over %x = %zs {
      %m = train.mul %a, %x
      %n = train.tanh %m
      train.next %k, %n
    }""", without_each),
    # Nothing is carried; a row of numbers becomes a scalar.
    "each": ("zs h", 1, """over %x = %zs {
      %m = train.mul %h, %x
      %n = train.reduce_sum %m over [0, 1]
      train.next each %n
    }""", lambda zs, h: scan(lambda i, carried, x: ((), (np.sum(h * x),)), (), zs)),
    # The number of the row, from behind: 0 is the last round.
    "turn": ("h", 2, """carry %a = %h times ROUNDS reverse index %i {
      %f = train.cast %i to f64
      %m = train.sub %a, %f
      %n = train.sin %m
      train.next %n each %f
    }""", lambda h, times: scan(lambda i, carried: ((np.sin(carried[0] - i),), (np.float64(i),)), (h,), times=times, reverse=True)),
    "nest": ("vs v", 2, """carry %a = %v over %x = %vs reverse {
      %l, %k = train.scan carry %s = %a over %y = %x index %j {
        %one = train.constant dense<1.0> : tensor<f64>
        %f = train.cast %j to f64
        %t = train.add %f, %one
        %m = train.mul %y, %t
        %o = train.add %s, %m
        %n = train.tanh %o
        %q = train.mul %s, %y
        train.next %n each %q
      }
      train.next %l each %k
    }""", nested),
}


def inputs(rounds):
    made = dict(xs=(rounds, B, I), zs=(rounds, B, H), h=(B, H), c=(B, H), w=(I, 4 * H), u=(H, 4 * H), b=(4 * H,), vs=(rounds, 6, H), v=(H,))
    return {name: random.normal(size=shape) for name, shape in made.items()}


INPUTS = {rounds: inputs(rounds) for rounds in ROUNDS}


def print_model():
    print("train.model @loops {")
    for rounds, values in INPUTS.items():
        for name, (used, results, text, _) in CASES.items():
            given = ", ".join(f"%{key}: f64[{', '.join(map(str, values[key].shape))}]" for key in used.split())
            outs = ", ".join(f"%out{i}" for i in range(results))
            print(f"  train.func @{name}{rounds}({given}) {{\n    {outs} = train.scan {text.replace('ROUNDS', str(rounds))}")
            print(f'    train.return {outs}\n  }}\n  train.export @{name}{rounds} as "{name}{rounds}"')
    print("}")


def run(folder):
    sys.path.insert(0, folder)
    import loops
    model, arrays, wrong = loops.Model(), 0, 0
    for rounds, values in INPUTS.items():
        for name, (used, _, text, function) in CASES.items():
            given = [values[key] for key in used.split()]
            have = getattr(model, f"{name}{rounds}")(*given)
            want = function(*given, **({"times": rounds} if "ROUNDS" in text else {}))
            for have, want in zip(have.values() if isinstance(have, dict) else (have,), want, strict=True):
                arrays += 1
                if np.shape(have) != np.shape(want) or not np.allclose(have, want, 1e-12, 1e-12):
                    wrong += 1
                    print(f"{name}{rounds}: expected\n{want}\nbut got\n{have}")
    print(f"{arrays} arrays, {wrong} wrong")


print_model() if sys.argv[1] == "model" else run(sys.argv[2])
