# Optimizers and derivatives as nodes beside NumPy.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""training.py FOLDER: writes FOLDER/training.onnx, and compares every output with the formulas of the ops, in f64."""
import importlib
import subprocess
import sys

import numpy as np

import nodes

RNG = np.random.default_rng(3)
DOMAIN = "ai.onnx.preview.training"
INPUTS, NODES, FUNCTIONS, WANT = {}, [], [], {}


def given(name, *shape):
    """Squares are not negative, and no number is near 0."""
    INPUTS[name] = RNG.uniform(0.5, 1.5, shape)
    return INPUTS[name]


def node(op, inputs, outputs, domain="", into=NODES, **attributes):
    lines = [f'attribute {{ name: "{name}" type: STRINGS {" ".join(f"strings: {each!r}" for each in value)} }}' if name in ("xs", "zs")
             else nodes.attribute(name, value) for name, value in attributes.items()]
    into.append(f'node {{ op_type: "{op}" name: "{outputs[0]}" domain: "{domain}" ' + " ".join(f'input: "{each}"' for each in inputs) + " "
                + " ".join(f'output: "{each}"' for each in outputs) + " " + " ".join(lines) + " }")


def gradient(inputs, outputs, xs, y, zs=(), into=NODES):
    node("Gradient", inputs, outputs, DOMAIN, into, xs=list(xs), y=y, **({"zs": list(zs)} if zs else {}))


# ---- Optimizers ----

def adam(rate, count, x, g, v, h, alpha=0.9, beta=0.999, epsilon=1e-6, norm=0.0, post=0.0):
    g = norm * x + g
    v, h = alpha * v + (1 - alpha) * g, beta * h + (1 - beta) * g * g
    rate = rate * np.sqrt(1 - beta**count) / (1 - alpha**count) if count else rate
    return (1 - post) * (x - rate * v / (np.sqrt(h) + epsilon)), v, h


def adagrad(rate, count, x, g, h, decay=0.0, epsilon=1e-6, norm=0.0):
    g = norm * x + g
    h = h + g * g
    return x - rate / (1 + count * decay) * g / (np.sqrt(h) + epsilon), h


def momentum(rate, count, x, g, v, alpha, beta, norm, nesterov):
    g = norm * x + g
    v = alpha * v + (beta if count else 1) * g
    return x - rate * (g + alpha * v if nesterov else v), v


def optimizers():
    rate = given("rate", 1)
    for count in (0, 3):
        INPUTS[f"count{count}"] = np.int64(count)
        for name, rule, kinds, own, written in [
                ("Adam", adam, 4, {}, {}),
                ("Adam", adam, 4, {"alpha": 0.75, "beta": 0.5, "epsilon": 0.125, "norm": 0.25, "post": 0.125},
                 {"alpha": 0.75, "beta": 0.5, "epsilon": 0.125, "norm_coefficient": 0.25, "norm_coefficient_post": 0.125}),
                ("Adagrad", adagrad, 3, {"decay": 0.25, "norm": 0.5}, {"decay_factor": 0.25, "norm_coefficient": 0.5}),
                ("Adagrad", adagrad, 3, {"epsilon": 0.5}, {"epsilon": 0.5}),
                *(("Momentum", momentum, 3, {"alpha": 0.75, "beta": 0.25, "norm": 0.5, "nesterov": mode == "nesterov"},
                   {"alpha": 0.75, "beta": 0.25, "norm_coefficient": 0.5, "mode": mode}) for mode in ("standard", "nesterov"))]:
            tag = f"{name}_{len(NODES)}"
            groups = [[f"{tag}_{kind}{i}" for i in range(2)] for kind in range(kinds)]
            arrays = [[given(each, *shape) for each, shape in zip(group, ((3,), (2, 4)))] for group in groups]
            outputs = [[f"{tag}_new{kind}{i}" for i in range(2)] for kind in range(kinds - 1)]
            node(name, ["rate", f"count{count}", *sum(groups, [])], sum(outputs, []), DOMAIN, **written)
            for i in range(2):
                for kind, value in enumerate(rule(rate, count, *(group[i] for group in arrays), **own)):
                    WANT[outputs[kind][i]] = value


# ---- Derivatives ----

def derivatives():
    x, w, other, place = given("x", 2, 3), given("w", 3, 4), given("other", 3, 4), given("place", 2, 4)
    # y = tanh(x w)^2, of which h is on the way.
    node("MatMul", ["x", "w"], ["h"])
    node("Tanh", ["h"], ["t"])
    node("Mul", ["t", "t"], ["y"])
    h = x @ w
    slope = lambda h: 2 * np.tanh(h) / np.cosh(h)**2
    gradient(["x", "w"], ["y_x", "y_w"], ["x", "w"], "y")
    WANT["y_x"], WANT["y_w"] = slope(h) @ w.T, x.T @ slope(h)
    # With an x that is no variable.
    gradient(["w", "x"], ["y_w2"], ["w"], "y", ["x"])
    WANT["y_w2"] = WANT["y_w"]
    # At another w, with respect to x.
    gradient(["x", "other"], ["y_at"], ["x"], "y", ["w"])
    WANT["y_at"] = slope(x @ other) @ other.T
    # With respect to intermediate values, there and elsewhere.
    gradient(["h"], ["y_h"], ["h"], "y")
    gradient(["place"], ["y_h_at"], ["h"], "y")
    WANT["y_h"], WANT["y_h_at"] = slope(h), slope(place)
    # Past a transposition that a second transposition undoes.
    node("Transpose", ["h"], ["ht"], perm=[1, 0])
    node("Transpose", ["ht"], ["htt"], perm=[1, 0])
    node("Mul", ["htt", "htt"], ["square"])
    node("Mul", ["square", "square"], ["fourth"])
    gradient(["ht"], ["f_ht"], ["ht"], "fourth")
    WANT["f_ht"] = 4 * h.T**3
    # The second derivative, by a gradient of a gradient.
    node("Mul", ["x", "x"], ["x2"])
    node("Mul", ["x2", "x"], ["cube"])
    gradient(["x"], ["cube_x"], ["x"], "cube")
    gradient(["x"], ["cube_xx"], ["x"], "cube_x")
    WANT["cube_x"], WANT["cube_xx"] = 3 * x**2, 6 * x
    # Inside of a function, which has a scope of names.
    inner = []
    node("Sin", ["a"], ["s"], into=inner)
    gradient(["a"], ["d"], ["a"], "s", into=inner)
    FUNCTIONS.append('functions { name: "Slope" domain: "own" input: "a" output: "d" opset_import { domain: "" version: 17 } '
                     f'opset_import {{ domain: "{DOMAIN}" version: 1 }} ' + " ".join(inner) + " }")
    node("Slope", ["x"], ["cos"], "own")
    WANT["cos"] = np.cos(x)


def save(path):
    lines = [f'opset_import {{ domain: "{domain}" version: {version} }}' for domain, version in (("", 17), (DOMAIN, 1), ("own", 1))]
    lines += ["graph {", 'name: "training"', *NODES, *(nodes.info("input", *each) for each in INPUTS.items()),
              *(f'output {{ name: "{name}" }}' for name in WANT), "}", *FUNCTIONS]
    with open(path, "wb") as binary:
        subprocess.run(["protoc", "--proto_path=/usr/include/onnx", "--encode=onnx.ModelProto", "onnx.proto"], input="\n".join(lines).encode(),
                       stdout=binary, check=True)


def main():
    folder = sys.argv[1]
    derivatives()
    optimizers()
    save(f"{folder}/training.onnx")
    subprocess.run(["ampc", "compile", f"{folder}/training.onnx", "--bindings=python", "-o", folder], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, folder)
    model = importlib.import_module("training").Model(threads=1)
    wrong = 0
    for (name, want), got in zip(WANT.items(), model.predict(*INPUTS.values()).values(), strict=True):
        if got.shape != want.shape or not np.all(np.abs(got - want) <= 1e-13 * np.maximum(np.abs(want), 1)):
            wrong += 1
            print(f"{name}: expected {want.shape}\n{want}\nbut got {got.shape}\n{got}")
    print(f"{len(WANT)} values, {wrong} wrong")


main()
