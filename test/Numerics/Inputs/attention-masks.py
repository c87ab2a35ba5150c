# Gradients of attention whose queries cannot see some or all keys, masked by numbers and by infinities, against the formula in f64 on f32
# scores.
# attention-masks.py model | run FOLDER LARGEST_RELATIVE_ERROR
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import numpy as np

BATCH, QUERIES, KEYS, WIDTH = 2, 6, 70, 16  # more than one tile of keys
LOWEST = float(np.finfo(np.float32).min)
MASKS = [-1e4, -65504.0, -1e6, -1e9, LOWEST, -np.inf]
MODEL = f"""train.model @masks {{
  train.param @q : f32[{BATCH}, {QUERIES}, {WIDTH}] = #train.zeros
  train.param @k : f32[{BATCH}, {KEYS}, {WIDTH}] = #train.zeros
  train.param @v : f32[{BATCH}, {KEYS}, {WIDTH}] = #train.zeros
  train.param @bias : f32[{BATCH}, {QUERIES}, {KEYS}] = #train.zeros
  train.func @loss(%g: f32[{BATCH}, {QUERIES}, {WIDTH}]) {{
    %o = train.attention %q, %k, %v bias %bias
    %p = train.mul %o, %g
    %l = train.reduce_sum %p over [0, 1, 2]
    train.return %l
  }}
  train.step @fit minimize @loss over [@q, @k, @v] with #train.sgd<lr = 1.0>
  train.step @all minimize @loss over [@q, @k, @v, @bias] with #train.sgd<lr = 1.0>
}}"""


def bias_of(mask):
    """Queries of every kind: hidden from no key, from all, from every other, from the first tile, from all by two numbers, from all but the last key and far up."""
    bias = np.zeros((BATCH, QUERIES, KEYS), np.float32)
    bias[:, 1] = mask
    bias[:, 2, ::2] = mask
    bias[:, 3, :64] = mask
    bias[:, 4] = mask
    bias[:, 4, 5:] = min(2 * mask, mask) if mask > -1e30 else mask
    bias[:, 5, :-1] = mask
    bias[:, 5] += 30
    return bias


def formula(q, k, v, bias, g):
    q, k, v, g = (np.float64(x) for x in (q, k, v, g))
    scores = np.einsum("bic,bjc->bij", q, k) * WIDTH**-0.5
    scores = np.float64(np.float32(scores) + bias)
    most = scores.max(-1, keepdims=True)
    p = np.exp(scores - np.where(np.isinf(most), 0, most))
    p /= np.maximum(p.sum(-1, keepdims=True), 1e-300)
    dp = np.einsum("bic,bjc->bij", g, v)
    ds = p * (dp - (p * dp).sum(-1, keepdims=True))
    return {"q": np.einsum("bij,bjc->bic", ds, k) * WIDTH**-0.5, "k": np.einsum("bij,bic->bjc", ds, q) * WIDTH**-0.5,
            "v": np.einsum("bij,bic->bjc", p, g), "bias": ds}


def errors(got, wanted, name):
    """Relative errors of the whole gradient and, for `q` and `bias`, of the part of each query."""
    yield np.linalg.norm(got - wanted) / np.linalg.norm(wanted)
    if name in ("q", "bias"):
        for i in range(QUERIES):
            size = np.linalg.norm(wanted[:, i])
            yield np.linalg.norm(got[:, i] - wanted[:, i]) / size if size else np.abs(got[:, i]).max()


def run(folder, allowed):
    sys.path.insert(0, folder)
    import masks

    numbers, worst = np.random.default_rng(1), 0.0
    # Eighths, so that scores are exact in f32 and operands in 16 bits.
    draw = lambda rows: np.float32(numbers.integers(-12, 13, (BATCH, rows, WIDTH)) / 8)
    for mask in MASKS:
        given = {"q": draw(QUERIES), "k": draw(KEYS), "v": draw(KEYS), "bias": bias_of(mask)}
        g = draw(QUERIES)
        wanted = formula(**given, g=g)
        model = masks.Model(seed=1, want_split=True)
        for name, value in given.items():
            model[name] = value
        for step in ("fit", "all"):
            getattr(model, f"{step}_grad")(g)
            for name in given if step == "all" else ("q", "k", "v"):
                error = max(errors(np.float64(model[f"{step}.gradient.{name}"]), wanted[name], name))
                worst = max(worst, error) if error == error else error
                if not error <= allowed:
                    print(f"mask {mask:g}, {step}, gradient of {name}: relative error {error:.3g}, allowed {allowed:g}")
    print(f"largest relative error {worst:.3g}: {'right' if worst <= allowed else 'WRONG'}")


print(MODEL) if sys.argv[1] == "model" else run(sys.argv[2], float(sys.argv[3]))
