# Losses of every form in parts of their rows, beside the same model with all rows at once, plain loops, and NumPy in f64: chunked-loss-forms.py FOLDER PRECISION...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import re
import struct
import subprocess
import sys

import numpy as np

ROWS, WIDTH, CLASSES, PART, STEPS, RATE, IGNORED = 48, 5, 93, 12, 3, 0.5, 3
# Shares of the largest number that a parameter may be off: parts from all rows, whose sums have another order, and both from f64.
BARS = {"f32": (4e-6, 4e-6), "bf16": (2e-5, 2e-2), "f16": (2e-5, 3e-3)}

folder, precisions = sys.argv[1], sys.argv[2:]
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(11)
# Numbers that 16 bits represent exactly.
factor = random.integers(1, 24, CLASSES) / 8.0
x = random.integers(-16, 17, (ROWS, WIDTH)) / 8.0
label = random.integers(0, CLASSES, ROWS).astype(np.int32)
label[[2, 9, 17, 30]] = IGNORED
target = random.integers(0, 4, (ROWS, CLASSES)) / 64.0
for name, array in (("x", x.astype(np.float32)), ("label", label), ("target", target.astype(np.float32))):
    np.save(f"{folder}/{name}.npy", array)

# Loss op, and flags: distributions, factors, smoothing, ignored rows, sum in place of mean, micro-batches.
FORMS = {
    "classes": ("softmax_cross_entropy %s, %label", {}),
    "smoothed": ("softmax_cross_entropy %s, %label ignore 3 smoothing 0.125", {"ignore": True, "smoothing": 0.125}),
    "sum": ("softmax_cross_entropy %s, %label reduce sum ignore 3", {"ignore": True, "sum": True}),
    "weights": ("weighted_cross_entropy %s, %label, %factor", {"factors": True}),
    "weights-all": ("weighted_cross_entropy %s, %label, %factor ignore 3 smoothing 0.125", {"factors": True, "ignore": True, "smoothing": 0.125}),
    "soft": ("softmax_cross_entropy %s, %target smoothing 0.125", {"soft": True, "smoothing": 0.125}),
    "soft-weights": ("weighted_cross_entropy %s, %target, %factor", {"soft": True, "factors": True}),
    "micro": ("softmax_cross_entropy %s, %label smoothing 0.125", {"smoothing": 0.125, "micro": 2}),
    "micro-soft": ("weighted_cross_entropy %s, %target, %factor", {"soft": True, "factors": True, "micro": 2}),
}


def model(loss, facts):
    value, kind = ("target", f"f32[batch, {CLASSES}]") if facts.get("soft") else ("label", "i32[batch]")
    numbers = ", ".join(map(str, factor))
    constant = f"    %factor = train.constant dense<[{numbers}]> : tensor<{CLASSES}xf32>\n" if facts.get("factors") else ""
    parts = f" {{micro_batches = {facts['micro']}}}" if "micro" in facts else ""
    return f"""train.model @scores(batch = {ROWS // facts.get("micro", 1)}) {{
  train.param @weight : f32[{WIDTH}, {CLASSES}] = #train.zeros
  train.param @bias : f32[{CLASSES}] = #train.zeros
  train.func @loss(%x: f32[batch, {WIDTH}], %{value}: {kind}) {{
{constant}    %s = train.linear %x, %weight, %bias
    %l = train.{loss}
    train.return %l
  }}
  train.step @fit minimize @loss over all with #train.sgd<lr = {RATE}>{parts}
}}
"""


def expected(facts, steps):
    """The parameters after some updates."""
    hits = target if facts.get("soft") else np.eye(CLASSES)[label]
    smoothing, factors = facts.get("smoothing", 0.0), factor if facts.get("factors") else np.ones(CLASSES)
    goal = ((1 - smoothing) * hits + smoothing / CLASSES) * factors
    counts = np.where(label == IGNORED, 0.0, 1.0) if facts.get("ignore") else np.ones(ROWS)
    divisor = (hits @ factors * counts).sum() if facts.get("factors") and not facts.get("soft") else counts.sum()
    if facts.get("sum"):
        divisor = 1.0
    weight, bias = np.zeros((WIDTH, CLASSES)), np.zeros(CLASSES)
    for _ in range(steps):
        scores = x @ weight + bias
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        slope = (shares * goal.sum(1, keepdims=True) - goal) * counts[:, None] / divisor
        weight, bias = weight - RATE * x.T @ slope, bias - RATE * slope.sum(0)
    return {"weight": weight, "bias": bias}


def trained(path, facts, out, *options):
    data = "target" if facts.get("soft") else "label"
    subprocess.run(["ampc", "train", path, "--steps", str(STEPS), "--data", f"x={folder}/x.npy", "--data", f"{data}={folder}/{data}.npy", "--out", out, *options],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    content = open(out, "rb").read()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    head = json.loads(content[8:start])
    return {name: np.frombuffer(content[start + head[name]["data_offsets"][0]:start + head[name]["data_offsets"][1]], np.float32).reshape(head[name]["shape"]).astype(np.float64)
            for name in ("weight", "bias")}


def apart(a, b):
    return max(np.abs(a[name] - b[name]).max() for name in a) / max(np.abs(b[name]).max() for name in b)


failures = 0
for name, (loss, facts) in FORMS.items():
    path = f"{folder}/{name}.mlir"
    with open(path, "w") as file:
        file.write(model(loss, facts))
    for precision in precisions:
        # A slope of 1 overflows at the first loss scale, 65536, and the step is skipped.
        truth = expected(facts, STEPS - (precision == "f16" and "sum" in facts))
        said = subprocess.run(["ampc", "compile", path, f"--precision={precision}", f"--chunked-losses={PART}", "--explain-precision", "--compile-to=plan"], check=True,
                              capture_output=True, text=True)
        cuts = len(re.findall(r"kernel\.call @fit\.train\.rows", said.stdout))
        how = f"--precision={precision}"
        parts = trained(path, facts, f"{folder}/parts", how, f"--chunked-losses={PART}")
        whole = trained(path, facts, f"{folder}/whole", how, "--chunked-losses=off")
        loops = trained(path, facts, f"{folder}/loops", how, f"--chunked-losses={PART}", "--target=reference")
        bars = BARS[precision]
        found = apart(parts, whole), apart(parts, truth), apart(loops, truth)
        good = cuts == facts.get("micro", 1) and found[0] <= bars[0] and max(found[1:]) <= bars[1]
        failures += not good
        print(f"{name} {precision}: {cuts} loops; of all rows {found[0]:.1e}, of f64 {found[1]:.1e}, plain loops of f64 {found[2]:.1e}{'' if good else '  WRONG'}")
        if not good:
            print(*[line for line in said.stderr.splitlines() if "rows at once" in line or " parts, and" in line], sep="\n")
sys.exit(failures != 0)
