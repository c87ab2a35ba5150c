# Update rules beside their papers in numpy, on gradients that are inputs: given-gradients.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss is the sum of parameters times inputs, so that inputs are the gradients. Matrices that are tall and wide, a filter, a vector and
a number. In f32; and in f16, where the products with the first loss scales overflow: those steps change nothing."""
import csv
import math
import os
import subprocess
import sys

import numpy as np

from closeness import share
from optimizers import read_tensors

SHAPES = {"tall": (12, 5), "wide": (4, 9), "filter": (3, 2, 2, 4), "vector": (6,), "number": ()}
STEPS = {"f32": 6, "f16": 12}


def lion(p, w, g, m, step):
    """Chen et al. 2023, algorithm 2."""
    update = np.sign(p.get("beta1", 0.9) * m["m"] + (1 - p.get("beta1", 0.9)) * g)
    kept = p.get("beta2", 0.99)
    return w - p["lr"] * (update + p.get("weight_decay", 0.0) * w), {"m": kept * m["m"] + (1 - kept) * g}


def rms(x):
    return math.sqrt(np.mean(x * x))


def adafactor(p, w, g, m, step):
    """Shazeer and Stern 2018, algorithms 4 and 5. The floor of 1e-30 under squares is from section 9: no gradient here is near the floor."""
    old, rate = 1 - step**-p.get("decay", 0.8), max(p.get("eps2", 1e-3), rms(w)) * min(p["lr"], 1 / math.sqrt(step))
    squares = g * g + 1e-30
    if g.ndim < 2:
        new = {"v": old * m["v"] + (1 - old) * squares}
        estimate = new["v"]
    else:
        row, column = squares.mean(-1, keepdims=True), squares.mean(-2, keepdims=True)
        new = {"v_row": old * m["v_row"] + (1 - old) * row, "v_column": old * m["v_column"] + (1 - old) * column}
        estimate = new["v_row"] @ new["v_column"] / new["v_row"].mean(-2, keepdims=True)
    update = g / np.sqrt(estimate)
    update = update / max(1.0, rms(update) / p.get("clip_threshold", 1.0))
    return w - p["lr"] * p.get("weight_decay", 0.0) * w - rate * update, new


def muon(p, w, g, m, step):
    """Jordan et al. 2024. The iterations act on singular values alone: a polynomial of each."""
    if g.ndim < 2:
        beta1, beta2 = p.get("beta1", 0.9), p.get("beta2", 0.95)
        new = {"m": beta1 * m["m"] + (1 - beta1) * g, "v": beta2 * m["v"] + (1 - beta2) * g * g}
        first, second = new["m"] / (1 - beta1**step), new["v"] / (1 - beta2**step)
        return w - p.get("adamw_lr", 3e-4) * first / (np.sqrt(second) + p.get("adamw_eps", 1e-10)), new
    keep = p.get("momentum", 0.95)
    momentum = keep * m["momentum"] + (1 - keep) * g
    update = keep * momentum + (1 - keep) * g if p.get("nesterov", True) else momentum
    u, s, v = np.linalg.svd(update.reshape(len(g), -1), full_matrices=False)
    s = s / max(np.linalg.norm(s), p.get("eps", 1e-7))
    for _ in range(p.get("iterations", 5)):
        s = 3.4445 * s - 4.7750 * s**3 + 2.0315 * s**5
    rows, columns = u.shape[0], v.shape[1]
    size = 0.2 * math.sqrt(max(rows, columns)) if p.get("match_adamw") else math.sqrt(max(1, rows / columns))
    update = ((u * s) @ v).reshape(g.shape)
    return w * (1 - p["lr"] * p.get("weight_decay", 0.1)) - p["lr"] * size * update, {"momentum": momentum}


CASES = {
    "lion": (lion, {"lr": 0.01}),
    "lion-decayed": (lion, {"lr": 0.02, "beta1": 0.8, "beta2": 0.9, "weight_decay": 0.1}),
    "adafactor": (adafactor, {"lr": 0.5}),
    "adafactor-decayed": (adafactor, {"lr": 0.1, "decay": 0.6, "eps2": 0.75, "clip_threshold": 0.5, "weight_decay": 0.1}),
    "muon": (muon, {"lr": 0.02}),
    "muon-adamw": (muon, {"lr": 0.02, "momentum": 0.8, "nesterov": False, "weight_decay": 0.0, "iterations": 3, "match_adamw": True,
                          "adamw_lr": 0.01, "beta1": 0.8, "beta2": 0.9, "adamw_eps": 0.001}),
}


def model(rule, numbers):
    text = lambda value: str(value).lower() if isinstance(value, bool) else str(value)
    dims = {name: "x".join(map(str, shape + ("f32",))) for name, shape in SHAPES.items()}
    lines = ["train.model @given {"]
    lines += [f"  train.param @{name} : tensor<{d}> = #train.normal<std = 0.5>" for name, d in dims.items()]
    lines.append("  train.func @loss(" + ", ".join(f"%g_{name}: tensor<1x{d}>" for name, d in dims.items()) + ") -> tensor<f32> {")
    for i, (name, d) in enumerate(dims.items()):
        lines += [f"    %p{i} = train.read @{name} : tensor<{d}>",
                  f"    %m{i} = train.mul %p{i}, %g_{name} : tensor<{d}>, tensor<1x{d}>",
                  f"    %s{i} = train.reduce_sum %m{i} over {list(range(len(SHAPES[name]) + 1))} : tensor<1x{d}>"]
        lines.append(f"    %t{i} = train.add %{'t' if i > 1 else 's'}{i - 1}, %s{i} : tensor<f32>, tensor<f32>" if i else "")
    rule = f"#train.{rule.__name__}<{', '.join(f'{key} = {text(value)}' for key, value in numbers.items())}>"
    return "\n".join(lines + [f"    train.return %t{len(dims) - 1} : tensor<f32>", "  }",
                              f"  train.step @fit minimize @loss over all with {rule} {{nonfinite = \"skip\"}}", "}", ""])


def numbers_of(path):
    return {name: np.frombuffer(content, "f4").astype(float) for name, content in read_tensors(path).items()
            if name in SHAPES or name.rpartition(".")[2] in SHAPES}


def train(path, precision, steps, *options):
    subprocess.run(["ampc", "train", path + ".mlir", f"--precision={precision}", "--policy-edit=mul=low", "--shuffle=false", "--steps", str(steps), *options,
                    *(f"--data=g_{name}={os.path.dirname(path)}/{name}.npy" for name in SHAPES)], check=True, stderr=subprocess.DEVNULL)


def check(name, precision, gradients, folder):
    rule, numbers = CASES[name]
    path, steps = f"{folder}/{name}", STEPS[precision]
    with open(path + ".mlir", "w") as out:
        out.write(model(rule, numbers))
    start, end, half, resumed = (f"{folder}/{end}.safetensors" for end in ("start", f"{name}-{precision}", "half", "resumed"))
    log = f"{path}-{precision}.csv"
    if not os.path.exists(start):  # the same for all rules
        train(path, precision, 0, "--out", start)
    train(path, precision, steps, "--out", end, "--log", log)
    if precision == "f16":
        train(path, precision, steps // 2, "--out", half)
        train(path, precision, steps, "--out", resumed, "--resume", half)
        assert open(end, "rb").read() == open(resumed, "rb").read(), "expected a resumed run to have the same bits"
    skipped = [float(row["skipped"]) != 0 for row in csv.DictReader(open(log))]
    assert len(skipped) == steps and any(skipped) == (precision == "f16") and sum(not s for s in skipped) >= 4, skipped
    first, last = numbers_of(start), numbers_of(end)
    worst = 0.0
    for param, shape in SHAPES.items():
        w = first[param].reshape(shape)
        sizes = {"v_row": shape[:-1] + (1,), "v_column": shape[:-2] + (1,) + shape[-1:]}
        names = [key.split(".")[1] for key in last if key.startswith("fit.") and key.endswith("." + param)]
        moments = {key: np.zeros(sizes.get(key, shape)) for key in names}
        step = 0
        for i in range(steps):
            if not skipped[i]:
                step += 1
                w, new = rule(numbers, w, gradients[param][i].astype(float), moments, step)
                assert set(new) == set(moments), (param, set(new), set(moments))
                moments = new
        for found, wanted in [(last[param], w)] + [(last[f"fit.{key}.{param}"], value) for key, value in moments.items()]:
            worst = max(worst, share(found.ravel(), wanted.ravel(), 1e-6, 1e-5))
    return worst


def main(folder):
    numbers = np.random.default_rng(7)
    gradients = {}
    for name, shape in SHAPES.items():  # numbers that f16 represents
        gradients[name] = numbers.normal(size=(max(STEPS.values()),) + shape).astype("f2").astype("f4")
        np.save(f"{folder}/{name}.npy", gradients[name])
    failures = 0
    for name in CASES:
        for precision in STEPS if set(CASES[name][1]) == {"lr"} else ["f32"]:
            worst = check(name, precision, gradients, folder)
            failures += not worst <= 1
            print(f"{name} in {precision}: {worst:.2g} of the tolerance{'' if worst <= 1 else ' WRONG'}")
    print(f"{len(CASES)} rules, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
