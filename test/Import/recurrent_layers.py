# Recurrent layers of ONNX in NumPy, by the formulas of the specification, as cases for nodes.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from families import case

ROUNDS, ROWS, IN, WIDTH = 4, 3, 2, 3
RANDOM = np.random.default_rng(0)
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
USUAL = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def real(*shape):
    return RANDOM.normal(0, 0.7, shape)


# Functions of x, alpha and beta, and the numbers that each takes with their defaults.
FUNCTIONS = {
    "Affine": (lambda x, a, b: a * x + b, 1.0, 0.0),
    "Elu": (lambda x, a, b: np.where(x > 0, x, a * np.expm1(x)), 1.0, None),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "LeakyRelu": (lambda x, a, b: np.where(x >= 0, x, a * x), 0.01, None),
    "Relu": (lambda x, a, b: np.maximum(x, 0), None, None),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), 1.0, 1.0),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), None, None),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), None, None),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), None, None),
    "Tanh": (lambda x, a, b: np.tanh(x), None, None),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), 1.0, None),
}


def functions(names, alphas, betas, clip):
    """Alpha and beta go to the functions that take one, in order."""
    alphas, betas, made = iter(alphas), iter(betas), []
    for name in names:
        function, alpha, beta = FUNCTIONS[name]
        a = None if alpha is None else next(alphas, alpha)
        b = None if beta is None else next(betas, beta)
        made.append(lambda x, function=function, a=a, b=b: function(np.clip(x, -clip, clip) if clip else x, a, b))
    return made


def lstm(f, w, r, b, p, h, c, x, more):
    i, o, ft, g = np.split(x @ w.T + h @ r.T + b[0] + b[1], 4, 1)
    pi, po, pf = np.split(p, 3)
    i = f[0](i + pi * c)
    ft = 1 - i if more.get("input_forget") else f[0](ft + pf * c)
    c = ft * c + i * f[1](g)
    return f[0](o + po * c) * f[2](c), c


def gru(f, w, r, b, p, h, c, x, more):
    (xz, xr, xn), (wz, wr, wn), (bz, br, bn) = np.split(x @ w.T + b[0], 3, 1), np.split(r, 3), np.split(b[1], 3)
    z, reset = f[0](xz + h @ wz.T + bz), f[0](xr + h @ wr.T + br)
    inner = reset * (h @ wn.T + bn) if more.get("linear_before_reset") else (reset * h) @ wn.T + bn
    return (1 - z) * f[1](xn + inner) + z * h, c


def rnn(f, w, r, b, p, h, c, x, more):
    return f[0](x @ w.T + h @ r.T + b[0] + b[1]), c


CELLS = {"LSTM": lstm, "GRU": gru, "RNN": rnn}


def side(op, f, weights, states, x, lengths, reverse, more):
    """Sequence by sequence: a row has its own rounds, in both directions."""
    w, r, b, p = weights
    h, c = (state.copy() for state in states)
    all_ = np.zeros((len(x), len(h), WIDTH))
    for row, length in enumerate(lengths):
        for t in (reversed(range(length)) if reverse else range(length)):
            new = CELLS[op](f, w, r, b, p, h[row:row + 1], c[row:row + 1], x[t, row:row + 1], more)
            h[row], c[row] = new[0][0], new[1][0]
            all_[t, row] = h[row]
    return all_, h, c


def layer(op, x, lengths=None, initial=0, bias=True, peepholes=False, names=None, alphas=(), betas=(), direction="forward", layout=0, clip=0.0,
          **more):
    """A case with all outputs of a layer. `initial`: how many states are given. `x` is the graph's input."""
    count, gates = 2 if direction == "bidirectional" else 1, GATES[op]
    w, r, b = real(count, gates * WIDTH, IN), real(count, gates * WIDTH, WIDTH), real(count, 2 * gates * WIDTH) * bias
    p, states = real(count, 3 * WIDTH) * peepholes, [real(count, ROWS, WIDTH) * (i < initial) for i in range(2)]
    names = list(names or USUAL[op] * count)
    every = functions(names, alphas, betas, clip)
    made, used = [], len(names) // count
    for d in range(count):
        weights = w[d], r[d], np.split(b[d], 2), p[d]
        made.append(side(op, every[d * used:(d + 1) * used], weights, [s[d] for s in states], x, [ROUNDS] * ROWS if lengths is None else lengths,
                         d == 1 or direction == "reverse", more))
    all_, h, c = np.stack([m[0] for m in made], 1), np.stack([m[1] for m in made]), np.stack([m[2] for m in made])
    turned = [state.transpose(1, 0, 2) if layout else state for state in (*states, h, c)]
    expected = [all_.transpose(2, 0, 1, 3) if layout else all_, turned[2], turned[3]][:3 if op == "LSTM" else 2]
    operands = ["turned" if layout else "x", w, r, b if bias else "", "" if lengths is None else "lengths", turned[0] if initial else "",
                turned[1] if initial > 1 else "", p if peepholes else ""]
    attributes = {"hidden_size": WIDTH, "direction": direction, "layout": layout, **more}
    attributes |= {"activations": names} if names != USUAL[op] * count else {}
    attributes |= {key: list(value) for key, value in (("activation_alpha", alphas), ("activation_beta", betas)) if value}
    attributes |= {"clip": clip} if clip else {}
    while isinstance(operands[-1], str) and not operands[-1]:
        operands.pop()
    return case(op, operands, tuple(expected), **attributes)


def cases(opset):
    x, lengths = real(ROUNDS, ROWS, IN), np.array([2, 4, 0], np.int32)
    both = "bidirectional"
    made = [
        layer("LSTM", x, lengths, 2, direction=both, peepholes=True), layer("LSTM", x, initial=1, layout=1), layer("LSTM", x, bias=False, direction="reverse"),
        layer("GRU", x, lengths, 1, direction=both), layer("GRU", x, initial=1, layout=1, direction="reverse", linear_before_reset=1),
        layer("GRU", x, bias=False, linear_before_reset=1), layer("RNN", x, lengths, 1, direction=both, names=["Relu", "Tanh"]),
        layer("RNN", x, layout=1, bias=False),
        # Layers beyond the ops.
        layer("LSTM", x, lengths, 2, direction=both, peepholes=True, clip=0.5, layout=1, names=["HardSigmoid", "ScaledTanh", "Affine", "Sigmoid", "Elu", "Softsign"],
              alphas=(0.3, 1.5, 0.9, 0.7), betas=(0.4, 0.8, 0.1)),
        layer("LSTM", x, input_forget=1, direction="reverse"), layer("LSTM", x, bias=False, clip=0.25),
        layer("GRU", x, lengths, 1, direction=both, names=["Softsign", "LeakyRelu", "Sigmoid", "Softplus"], alphas=(0.2,), linear_before_reset=1),
        layer("GRU", x, clip=0.5, direction="reverse"),
        layer("RNN", x, lengths, 1, direction=both, names=["ThresholdedRelu", "Affine"], alphas=(0.1, 0.5)),
        layer("RNN", x, names=["ScaledTanh"], layout=1), layer("RNN", x, names=["HardSigmoid"], bias=False),
    ]
    return {"x": x, "turned": x.transpose(1, 0, 2).copy(), "lengths": lengths}, made
