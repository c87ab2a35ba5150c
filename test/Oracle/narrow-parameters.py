# Updates of parameters in 16 bits, by every rule, beside the rules of the papers in f64: narrow-parameters.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Fuzz"))
from graph import parameters
from rules import RULES

FOLDER, SHAPE, STEPS = sys.argv[1], (4, 6), 4
sys.path.insert(0, FOLDER)
TEXTS = ["sgd<lr = 1.0e-2>", "sgd<lr = 1.0e-2, momentum = 0.9, weight_decay = 0.1, nesterov = true>", "adam<lr = 1.0e-3>",
         "adam<lr = 1.0e-2, moments = bf16>", "adamw<lr = 1.0e-2>", "adagrad<lr = 1.0e-2>", "rowwise_adagrad<lr = 1.0e-2>",
         "rmsprop<lr = 1.0e-3, momentum = 0.5>", "lamb<lr = 1.0e-2>", "lion<lr = 1.0e-3, weight_decay = 0.1>", "adafactor<lr = 1.0e-2>",
         "muon<lr = 1.0e-2>"]
TYPES = ["f16", "bf16", "f32"]
DECAY = 0.75
names = {f"{kind}_{number}": text for kind in TYPES for number, text in enumerate(TEXTS)}
checked = wrong = 0


def model(name, rounding):
    params = "\n".join(f"  train.param @{p} : {p.split('_')[0]}[4, 6] = #train.uniform<low = -1.0, high = 1.0>" for p in names)
    reads = "\n".join(f"    %c{i} = train.cast %{p} to f32" if not p.startswith("f32") else f"    %c{i} = train.mul %{p}, %one"
                      for i, p in enumerate(names))
    sums = "\n".join(f"    %s{i} = train.add %{'c0' if i == 1 else f's{i - 1}'}, %c{i}" for i in range(1, len(names)))
    groups = ",\n    ".join(f"#train.group<params = [@{p}], optimizer = #train.{text}>" for p, text in names.items())
    return f"""train.model @{name}(batch = 2) {{
{params}
  train.func @loss(%x: f32[batch, 4, 6]) {{
    %one = train.constant dense<1.0> : tensor<f32>
{reads}
{sums}
    %a = train.mul %x, %s{len(names) - 1}
    %l = train.reduce_sum %a over [0, 1, 2]
    train.return %l
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
  groups [{groups}] {{ema_decay = {DECAY}, weight_rounding = "{rounding}"}}
}}
"""


def build(name, rounding):
    with open(f"{FOLDER}/{name}.mlir", "w") as out:
        out.write(model(name, rounding))
    subprocess.run(["ampc", "compile", f"{FOLDER}/{name}.mlir", "--bindings=python", "-o", FOLDER], check=True, stdout=subprocess.DEVNULL)
    return __import__(name)


def unit(kind, at):
    """The distance of numbers of the type there."""
    digits, least = {"f16": (10, -14), "bf16": (7, -126), "f32": (23, -126)}[kind]
    return 2.0 ** (np.maximum(np.floor(np.log2(np.maximum(np.abs(at), 1e-300))), least) - digits)


def check(good, what):
    global checked, wrong
    checked += 1
    if not good:
        wrong += 1
        print("WRONG:", what)


def compare(net, param, text, before, gradient, step, stochastic):
    kind, (rule, p) = param.split("_")[0], parameters(f"#train.{text}")
    moments = {slot[4:-len(param) - 1]: before[slot] for slot in before if slot.startswith("fit.") and slot.endswith("." + param)}
    average = moments.pop("ema")
    with np.errstate(all="ignore"):
        want, new, *_ = RULES[rule](p, before[param], gradient, moments, step, p["lr"])
    got, where = net[param].astype(float), f"{param} by {text} in step {step}"
    # The rule computes in f32, then rounds once. Errors of sums over a row or a tensor depend on the length only.
    slack = 2e-5 * np.abs(want - before[param]) + 1e-6 * np.abs(before[param]) + 1e-9
    room = (1.0 if stochastic else 0.5) * unit(kind, want) * (kind != "f32") + slack
    check((np.abs(got - want) <= room).all(), f"{where}: off by {np.abs(got - want).max()}, {(np.abs(got - want) / room).max()} of the bound")
    for moment, value in new.items():
        off = np.abs(net[f"fit.{moment}.{param}"].astype(float) - value)
        share = 2.0**-7 if "bf16" in text else 2e-6
        size = np.abs(value) + np.abs(moments[moment])  # the two terms may cancel
        check((off <= share * size + 1e-30).all(), f"{where}: moment {moment} off by {off.max()}")
    want = got if step == 1 else DECAY * average + (1 - DECAY) * got
    off = np.abs(net[f"fit.ema.{param}"].astype(float) - want)
    check((off <= 2e-7 * np.abs(want)).all(), f"{where}: average off by {off.max()}")


def run(name, rounding):
    net, r = build(name, rounding).Model(seed=3), np.random.default_rng(5)
    for tensor in net.tensors.values():
        kind = tensor.name.split(".")[-1].split("_")[0]
        if tensor.name.startswith("fit.") and tensor.dtype == "f16":
            check(False, f"{tensor.name} is {tensor.dtype}")
        if tensor.name.startswith(("fit.m.", "fit.v", "fit.ema")) and tensor.dtype != "f32" and "_3" not in tensor.name:
            check(False, f"{tensor.name} of {kind} is {tensor.dtype}")
    for step in range(1, STEPS + 1):
        x = r.standard_normal((2, *SHAPE)).astype(np.float32)
        x[:, 0, 0], x[:, 1] = 0.0, x[:, 1] * 1e-3  # no gradient, and squares that are 0 in f16
        x[:, 2] *= 3e-6
        if step == 2:
            x[:, 3] *= 1e4
        before = {key: net[key].astype(float) for key in net.tensors if ".gradient." not in key}
        net.train_step(x)
        gradient = x.astype(float).sum(0)
        for param, text in names.items():
            compare(net, param, text, before, gradient, step, rounding == "stochastic")


def drift(name):
    """1000 updates of 2^-13 of a weight: lost to the nearest, kept on the average by chance."""
    module = sys.modules[name]
    first, ends = None, []
    for threads in (1, 2):
        net = module.Model(seed=3, threads=threads)
        for param in names:
            net[param] = np.ones(SHAPE, np.float32)
        x = np.full((2, *SHAPE), 2.0**-14 / 1e-2, np.float32)
        for _ in range(1000):
            net.train_step(x)
        ends.append({param: net[param].astype(float) for param in names})
    check(all((ends[0][p] == ends[1][p]).all() for p in names), f"{name}: threads change the bits")
    for kind in ("f16_0", "bf16_0"):
        end, moved = ends[0][kind], 1000 * 2.0**-13
        if name == "nearest":
            check((end == 1).all(), f"{kind}: to the nearest the updates are lost")
            continue
        # A draw is off by at most a unit, so that 1000 x 24 draws have a mean within 6 deviations.
        sigma = unit(kind.split("_")[0], 0.9) * 0.5 * 1000**0.5
        check(abs(end.mean() - (1 - moved)) <= 6 * sigma / 24**0.5, f"{kind}: mean {end.mean()}, expected {1 - moved}")
        check((np.abs(end - (1 - moved)) <= 6 * sigma).all() and end.std() > 0, f"{kind}: one draw for all")


for rounding in ("nearest", "stochastic"):
    run(rounding, rounding)
    drift(rounding)
print(f"{checked} updates checked, {wrong} wrong")
