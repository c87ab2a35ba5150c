# Gradients of models in f16 beside central differences of the same losses in f64: half-range.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)
r = np.random.default_rng(7)


def t5(norm, text):
    """The feed-forward of T5: the stream passes 65504, and the norm behind scales the stream down."""
    def loss(p, x, y):
        s = x + np.maximum(x @ p["wi"], 0) @ p["wo"]
        n = norm(s) * p["g"]
        z = n @ p["out"]
        return float(((z - y) ** 2).mean())
    p = {"wi": np.ones((16, 64)) + r.normal(0, 0.2, (16, 64)), "wo": np.ones((64, 16)) + r.normal(0, 0.2, (64, 16)),
         "g": r.uniform(0.5, 1.5, 16), "out": r.normal(0, 0.3, (16, 4))}
    return loss, p, np.abs(r.normal(0, 1, (8, 16))) * 90, r.normal(0, 1, (8, 4)), f"""
    %h = train.linear %x, %wi
    %r = train.relu %h
    %f = train.linear %r, %wo
    %s = train.add %x, %f
    {text}
    %z = train.linear %n, %out
    %l = train.mse %z, %y"""


def rows(lengths, text, cosine=False):
    """Rows 3 and 6 are zeros, like padding, and are divided by a length of 0."""
    def loss(p, x, y):
        h = x @ p["w"]
        if cosine:
            return float((1 - (h * y).sum(1) / np.maximum(np.linalg.norm(h, axis=1) * np.linalg.norm(y, axis=1), 1e-8)).mean())
        return float(((h / lengths(h) - y) ** 2).mean())
    x = r.normal(0, 1, (8, 16))
    x[3] = x[6] = 0
    return loss, {"w": r.normal(0, 0.3, (16, 16))}, x, r.normal(0, 1, (8, 16)), "\n    %h = train.linear %x, %w\n" + text


root = lambda h: np.linalg.norm(h, axis=1, keepdims=True)
square = """    %q = train.mul %h, %h
    %a = train.reduce_sum %q over [1]
    %b = train.sqrt %a
    %e = train.reshape %b to [batch, 1]
    %c = train.constant dense<1.0e-8> : tensor<f32>
"""
CASES = {
    "rms": t5(lambda s: s / np.sqrt((s * s).mean(1, keepdims=True) + 1e-6), "%n = train.rms_norm %s, %g eps 1.0e-6"),
    "layer": t5(lambda s: (s - s.mean(1, keepdims=True)) / np.sqrt(s.var(1, keepdims=True) + 1e-6),
                "%zero = train.constant dense<0.0> : tensor<16xf32>\n    %n = train.layer_norm %s, %g, %zero eps 1.0e-6"),
    "unit": rows(lambda h: np.maximum(root(h), 1e-12), "    %n = train.normalize %h along 1\n    %l = train.mse %n, %y"),
    "unit_1": rows(lambda h: np.maximum(np.abs(h).sum(1, keepdims=True), 1e-12), "    %n = train.normalize %h along 1 p 1\n    %l = train.mse %n, %y"),
    "cosine": rows(root, "    %l = train.cosine_loss %h, %y eps 1.0e-8", cosine=True),
    "largest": rows(lambda h: np.maximum(root(h), 1e-8), square + "    %d = train.maximum %e, %c\n    %n = train.div %h, %d\n    %l = train.mse %n, %y"),
    "clamped": rows(lambda h: np.maximum(root(h), 1e-8), square + "    %d = train.clamp %e from 1.0e-8 to 1.0e30\n    %n = train.div %h, %d\n    %l = train.mse %n, %y"),
    "sum": rows(lambda h: root(h) + 1e-8, square + "    %d = train.add %e, %c\n    %n = train.div %h, %d\n    %l = train.mse %n, %y"),
}


def differences(loss, p, x, y, name):
    result, at = np.zeros(p[name].shape), p[name]
    for i in np.ndindex(at.shape):
        old, h = at[i], 1e-6 * max(1.0, abs(at[i]))
        at[i] = old + h
        up = loss(p, x, y)
        at[i] = old - h
        result[i], at[i] = (up - loss(p, x, y)) / (2 * h), old
    return result


wrong = 0
for name, (loss, p, x, y, text) in CASES.items():
    params = "\n".join(f"  train.param @{key} : f32{list(value.shape)} = #train.ones" for key, value in p.items())
    with open(f"{FOLDER}/{name}.mlir", "w") as out:
        out.write(f"""train.model @{name}(batch = 8) {{
{params}
  train.func @loss(%x: f32[batch, {x.shape[1]}], %y: f32[batch, {y.shape[1]}]) {{{text}
    train.return %l
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0e-3>
}}
""")
    subprocess.run(["ampc", "compile", f"{FOLDER}/{name}.mlir", "--precision=f16", "--bindings=python", "-o", FOLDER], check=True,
                   stdout=subprocess.DEVNULL)
    net = __import__(name).Model(want_split=True)
    for key, value in p.items():
        p[key] = value.astype(np.float16).astype(float)
        net[key] = p[key].astype(np.float32)
    x, y = x.astype(np.float32), y.astype(np.float32)
    net["fit.scale"] = np.float32(256)
    report = net.grad(x, y)
    for key in p:
        want, got = differences(loss, p, x.astype(float), y.astype(float), key), net[f"fit.gradient.{key}"].astype(float)
        off = np.linalg.norm(got - want) / np.linalg.norm(want)
        if not off <= 0.02 or report.nonfinite:
            wrong += 1
            print(f"WRONG: {name}: gradient of {key} is off by {off:.3g} of its norm, {report.nonfinite} elements are not finite")
print(f"{len(CASES)} models, {wrong} wrong")
