# A batch in parts against the whole batch and NumPy: random sums of loss terms that divide by labels, weights, masks and rows.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""part-weights.py FOLDER SEED COUNT [PRECISION]

Every seed is a loss of one to four terms. The model is compiled for 8 rows, and for 2 or 4 rows with `micro_batches`; loss and gradients of the
two, and the loss of NumPy, are compared in f64. In f16 with a constant loss scale both are within the rounding of f16.
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys

import numpy as np

ROWS, WIDTH, CLASSES = 8, 3, 5


def log_softmax(z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def cross_entropy(d, ignore=None, weights=None, smoothing=0.0, reduce="mean"):
    logs, y = log_softmax(d["z"]), d["y"]
    on = np.ones(len(y), bool) if ignore is None else y != ignore
    at = np.where(on, y, 0)
    c = np.ones(CLASSES) if weights is None else weights
    target = (1 - smoothing) * np.eye(CLASSES)[at] + smoothing / CLASSES
    losses = np.where(on, -(target * c * logs).sum(-1), 0)
    share = np.where(on, c[at], 0)
    return losses.sum() if reduce == "sum" else losses.sum() / max(share.sum(), 0 if weights is not None else 1) if share.sum() > 0 else 0.0


# Terms: text with the prefix `{p}` for value names, which ends in %{p}, and the value in NumPy. Labels of `ignore` are in every batch; mask
# and class weights are inputs or buffers.
def entropy(r):
    ignore, smoothing, reduce = r.choice([None, -100, 0, 2]), r.choice([0.0, 0.1]), r.choice(["mean", "mean", "sum"])
    text = f"%{{p}} = train.softmax_cross_entropy %z, %y{'' if ignore == -100 else 'p'} reduce {reduce}"
    text += ("" if ignore is None else f" ignore {ignore}") + (f" smoothing {smoothing}" if smoothing else "")
    return text, lambda d: cross_entropy(d if ignore == -100 else {**d, "y": d["yp"]}, ignore, None, smoothing, reduce)


def weighted(r):
    ignore = r.choice([-100, None])
    text = f"%{{p}} = train.weighted_cross_entropy %z, %y{'' if ignore else 'p'}, %c" + ("" if ignore is None else f" ignore {ignore}")
    return text, lambda d: cross_entropy(d if ignore else {**d, "y": d["yp"]}, ignore, d["c"])


def nll(r):
    ignore = r.choice([-100, 1])
    text = f"%{{p}}l = train.log_softmax %z\n%{{p}} = train.nll %{{p}}l, %y{'' if ignore == -100 else 'p'} ignore {ignore}"
    return text, lambda d: cross_entropy(d if ignore == -100 else {**d, "y": d["yp"]}, ignore)


def elements(r):
    kind, reduce = r.choice(["mse", "l1", "hinge", "poisson_nll", "bce_with_logits"]), r.choice(["mean", "sum"])
    rules = {"mse": lambda z, t: (z - t)**2, "l1": lambda z, t: abs(z - t), "hinge": lambda z, t: np.maximum(0, 1 - t * z),
             "poisson_nll": lambda z, t: np.exp(z) - t * z, "bce_with_logits": lambda z, t: np.log1p(np.exp(z)) - z * t}
    return f"%{{p}} = train.{kind} %z, %t reduce {reduce}", lambda d: getattr(rules[kind](d["z"], d["t"]), reduce)()


ROW_LOSSES = "%{p}a = train.mse %z, %t reduce none\n%{p}r = train.reduce_sum %{p}a over [1]\n"


def row_losses(d):
    return ((d["z"] - d["t"])**2).sum(1)


def masked(r):
    text = ROW_LOSSES + "%{p}m = train.mul %{p}r, %m\n%{p}s = train.reduce_sum %{p}m over [0]\n%{p}n = train.reduce_sum %m over [0]\n"
    if r.random() < 0.5:
        return text + "%{p} = train.div %{p}s, %{p}n", lambda d: (row_losses(d) * d["m"]).sum() / d["m"].sum()
    text += "%{p}one = train.constant dense<1.0> : tensor<f32>\n%{p}k = train.maximum %{p}n, %{p}one\n%{p} = train.div %{p}s, %{p}k"
    return text, lambda d: (row_losses(d) * d["m"]).sum() / max(d["m"].sum(), 1)


def normalized(r):
    """Weights divided by the sum of weights before the product with the losses."""
    return ROW_LOSSES + ("%{p}n = train.reduce_sum %m over [0]\n%{p}w = train.div %m, %{p}n\n%{p}m = train.mul %{p}r, %{p}w\n"
                         "%{p} = train.reduce_sum %{p}m over [0]"), lambda d: (row_losses(d) * (d["m"] / d["m"].sum())).sum()


def by_variance(r):
    """The squared error over the variance of the targets: totals that depend on totals."""
    return ROW_LOSSES + ("%{p}c = train.reduce_mean %t over [0]\n%{p}d = train.sub %t, %{p}c\n%{p}q = train.square %{p}d\n%{p}v = train.reduce_sum %{p}q over [0, 1]\n"
                         "%{p}s = train.reduce_sum %{p}r over [0]\n%{p} = train.div %{p}s, %{p}v"), \
        lambda d: row_losses(d).sum() / ((d["t"] - d["t"].mean(0))**2).sum()


def means(r):
    kind = r.choice(["mean", "sum"])
    return f"%{{p}}q = train.square %z\n%{{p}} = train.reduce_{kind} %{{p}}q over [0, 1]", lambda d: getattr(d["z"]**2, kind)()


def penalty(r):
    kind = r.choice(["mean", "sum"])
    return f"%{{p}}q = train.square %w\n%{{p}} = train.reduce_{kind} %{{p}}q over [0, 1]", lambda d: getattr(d["w"]**2, kind)()


def slope(r):
    """The squared gradient, by the inputs, of a sum or a mean of squares."""
    kind = r.choice(["mean", "sum"])
    text = f"%{{p}}q = train.square %z\n%{{p}}s = train.reduce_{kind} %{{p}}q over [0, 1]\n%{{p}}g = train.grad %{{p}}s wrt %x\n%{{p}}h = train.square %{{p}}g\n"
    return text + "%{p} = train.reduce_sum %{p}h over [0, 1]", \
        lambda d: ((2 * ((d["z"] / (d["z"].size if kind == "mean" else 1)) @ d["w"].T))**2).sum()


TERMS = [entropy, entropy, weighted, nll, elements, masked, normalized, by_variance, means, penalty, slope]


def make(r):
    """(text of the model with NAME, BATCH and PARTS to be replaced, function from the data to the loss)"""
    terms = [(r.choice(TERMS)(r), r.randint(3, 32) / 16) for _ in range(r.randint(1, 4))]
    lines, total = [], None
    for i, ((text, _), factor) in enumerate(terms):
        lines += text.replace("{p}", f"v{i}").split("\n")
        lines += [f"%f{i} = train.constant dense<{factor}> : tensor<f32>", f"%u{i} = train.mul %v{i}, %f{i}"]
        lines += [f"%t{i} = train.add {total}, %u{i}"] if total else []
        total = f"%t{i}" if total else f"%u{i}"
    body = "\n    ".join(lines + [f"train.return {total}"])
    text = f"""train.model @NAME(batch = BATCH) {{
  train.buffer @c : f32[{CLASSES}] = #train.uniform<low = 0.5, high = 4.0>
  train.param @w : f32[{WIDTH}, {CLASSES}] = #train.normal<std = 0.5>
  amp.scaler @scale = #amp.scaling<dynamic = false, initial = 16.0>
  train.func @loss(%x: f32[batch, {WIDTH}], %y: i32[batch], %yp: i32[batch], %t: f32[batch, {CLASSES}], %m: f32[batch]) {{
    %z = train.linear %x, %w
    {body}
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0> {{micro_batches = PARTS, amp.scaler = @scale}}
}}
"""
    return text, lambda d: sum(factor * value(d) for (_, value), factor in terms)


def data(seed):
    r = np.random.default_rng(seed)
    y = np.where(r.random(ROWS) < 0.4, -100, r.integers(0, CLASSES, ROWS)).astype(np.int32)
    if seed % 3 == 0:
        y[:4] = -100  # parts without a label
    m = np.where(r.random(ROWS) < 0.5, 0.0, r.uniform(0.1, 1, ROWS))
    m[-1] = 0.5
    reals = {"x": r.standard_normal((ROWS, WIDTH)), "m": m, "w": r.standard_normal((WIDTH, CLASSES)) / 2, "c": r.uniform(0.5, 4, CLASSES),
             "t": r.integers(0, 2, (ROWS, CLASSES)) + r.uniform(-0.1, 0.1, (ROWS, CLASSES))}
    return {"y": y, "yp": r.integers(0, CLASSES, ROWS).astype(np.int32), **{name: v.astype(np.float32) for name, v in reals.items()}}


def write_state(path, tensors):
    head, at = {}, 0
    for name, v in tensors.items():
        head[name] = {"dtype": "F32", "shape": v.shape, "data_offsets": [at, at + v.nbytes]}
        at += v.nbytes
    text = json.dumps(head).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(v.tobytes() for v in tensors.values()))


def read_state(path, name):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        found = json.loads(file.read(size))[name]
        file.seek(8 + size + found["data_offsets"][0])
        return np.frombuffer(file.read(found["data_offsets"][1] - found["data_offsets"][0]), {"F64": "<f8", "F32": "<f4"}[found["dtype"]]).reshape(found["shape"])


def step(folder, name, text, parts, precision):
    """Loss and parameters after a single step on all rows."""
    path = f"{folder}/{name}"
    with open(path + ".mlir", "w") as file:
        file.write(text.replace("NAME", name).replace("BATCH", str(ROWS // parts)).replace("PARTS", str(parts)))
    inputs = [word for input in ("x", "y", "yp", "t", "m") for word in ("--data", f"{input}={folder}/{input}.npy")]
    done = subprocess.run(["ampc", "train", path + ".mlir", f"--precision={precision}", *inputs, "--weights", f"{folder}/first.safetensors", "--shuffle=false",
                           "--steps=1", "--log", path + ".csv", "--out", path + ".safetensors"], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stderr, text)
        return None
    with open(path + ".csv") as file:
        return float(next(csv.DictReader(file))["loss"]), read_state(path + ".safetensors", "w").astype(np.float64)


def check(folder, seed, precision):
    r = random.Random(seed)
    text, value = make(r)
    parts = r.choice([2, 4])
    d = data(seed)
    for name in ("x", "y", "yp", "t", "m"):
        np.save(f"{folder}/{name}.npy", d[name])
    write_state(f"{folder}/first.safetensors", {name: d[name] for name in ("w", "c")})
    whole, cut = (step(folder, kind, text, n, precision) for kind, n in [("whole", 1), ("parts", parts)])
    if not whole or not cut:
        return False
    wide = {name: v.astype(np.float64) if v.dtype == np.float32 else v for name, v in d.items()}
    truth = value({**wide, "z": wide["x"] @ wide["w"]})
    (loss, w), (found, found_w) = whole, cut
    near, of_loss = (1e-12, 3e-7) if precision == "f64" else (4e-3, 4e-3)  # losses are reported in f32
    right = abs(found - loss) <= of_loss * max(1, abs(loss)) and np.abs(found_w - w).max() <= near * max(1, np.abs(w).max()) and \
        abs(found - truth) <= of_loss * max(1, abs(truth))
    if not right:
        print(f"seed {seed}, {parts} parts: loss {found}, of the whole batch {loss}, by NumPy {truth}; parameters {np.abs(found_w - w).max():.2g} off\n{text}")
    return bool(right)


folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
precision = sys.argv[4] if len(sys.argv) > 4 else "f64"
os.makedirs(folder, exist_ok=True)
right = sum(check(folder, seed, precision) for seed in range(first, first + count))
print(f"{right} of {count} losses in parts are those of the whole batch")
