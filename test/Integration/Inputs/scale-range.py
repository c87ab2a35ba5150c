# Steps at every power of two as loss scale, and at non-numbers: scale-range.py FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import subprocess
import sys

import numpy as np

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)

# `far` is used in f32 only: with a small scale the scaled gradient is finite, while the gradient itself exceeds f32.
MODEL = """train.model @{name}(batch = 4) {{
  amp.scaler @s = #amp.scaling<initial = 1.0{scaling}>
  train.param @w : f32[4, 2] = #train.ones
  train.param @u : f32[2, 1] = #train.ones
  train.param @far : f32[1] = #train.fill<1.0e-10>
  train.func @loss(%x: f32[batch, 4], %y: f32[batch, 1], %z: f32[batch, 1]) {{
    %h = train.linear %x, %w
    %p = train.linear %h, %u
    %l = train.mse %p, %y
    %c = train.constant dense<1.0e25> : tensor<f32>
    %f = train.mul %z, %far
    %g = train.mul %f, %c
    %m = train.reduce_mean %g over [0, 1]
    %t = train.add %l, %m
    train.return %t
  }}
  train.step @fit minimize @loss over all with {rule} {{amp.scaler = @s{step}}}
}}
"""
CASES = {
    "plain": ("", "#train.adamw<lr = 1.0e-3>", ", ema_decay = 0.99"),
    "clipped": (", hysteresis = 2", "#train.sgd<lr = 0.1, momentum = 0.9>", ", clip_norm = 1.0"),
    "parts": (", dynamic = false", "#train.adam<lr = 1.0e-3, moments = bf16>", ", micro_batches = 2"),
}
EXPONENTS = [-150, -149, -140, *range(-131, -123), *range(-120, 120, 30), 120, 125, 126, 127]
SCALES = [math.ldexp(1.0, e) for e in EXPONENTS] + [3.0e38, 0.0, -0.0, math.inf, -math.inf, math.nan]
skipped = done = wrong = 0


def state(model):
    """The state that a skipped step leaves unchanged: all but the scale, the counters and the gradients."""
    return {name: np.array(model[name]) for name in model.tensors if not name.startswith("s.") and ".gradient." not in name}


def fault(text):
    global wrong
    wrong += 1
    print("WRONG:", text)


def check(name, model, scale, report, before):
    global skipped, done
    after = state(model)
    same = all(before[key].tobytes() == after[key].tobytes() for key in before)
    finite = all(np.isfinite(value).all() for value in after.values() if value.dtype.kind == "f")
    skipped, done = skipped + report.skipped, done + (1 - report.skipped)
    if report.skipped and not (same and report.nonfinite > 0):
        fault(f"{name} at {scale}: the skipped step changed the state, or reports no gradient")
    if not report.skipped and (same or not finite or report.nonfinite):
        fault(f"{name} at {scale}: a step that is done leaves {'the state as it was' if same else 'a state that is not finite'}")


def cases(name, module):
    r = np.random.default_rng(1)
    rows = 8 if name == "parts" else 4
    x, y = r.standard_normal((rows, 4)).astype(np.float32), r.standard_normal((rows, 1)).astype(np.float32)
    near, beyond = np.zeros((rows, 1), np.float32), np.full((rows, 1), 1e20, np.float32)
    model = module.Model(seed=1, want_split=True)
    first = {key: np.array(model[key]) for key in model.tensors if ".gradient." not in key and not key.endswith(".f16")}
    for scale in SCALES:
        for z in (near, beyond):
            for split in (False, True):
                for key, value in first.items():
                    model[key] = value
                model["s.scale"] = np.float32(scale)
                before = state(model)
                if split:
                    model.grad(x, y, z)
                report = model.apply() if split else model.train_step(x, y, z)
                check(f"{name}{' in two calls' if split else ''}", model, scale, report, before)
                if z is beyond and not report.skipped:
                    fault(f"{name} at {scale}: expected a skipped step for a gradient of 1e45")
        usable = 2.0**-126 <= scale <= 2.0**10
        if usable and z is beyond:  # the last model above: see that usable scales are used
            for key, value in first.items():
                model[key] = value
            model["s.scale"] = np.float32(scale)
            if model.train_step(x, y, near).skipped:
                fault(f"{name} at {scale}: expected a step that is done")


for name, (scaling, rule, step) in CASES.items():
    with open(f"{FOLDER}/{name}.mlir", "w") as out:
        out.write(MODEL.format(name=name, scaling=scaling, rule=rule, step=step))
    subprocess.run(["ampc", "compile", f"{FOLDER}/{name}.mlir", "--precision=f16", "--bindings=python", "-o", FOLDER], check=True,
                   stdout=subprocess.DEVNULL)
    cases(name, __import__(name))
print(f"{skipped} steps were skipped and {done} done, {wrong} wrong")
