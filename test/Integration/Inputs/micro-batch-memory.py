# The arena of a step does not grow with the number of micro-batches: models, targets, and the bound.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import re
import subprocess
import sys

MODELS = {
    "mlp": ("""
  train.param @w1 : f32[20, 64] = #train.kaiming_uniform
  train.param @b1 : f32[64] = #train.zeros
  train.param @w2 : f32[64, 5] = #train.kaiming_uniform
  train.func @loss(%x: f32[batch, 20], %label: i32[batch]) {
    %0 = train.linear %x, %w1, %b1
    %1 = train.gelu %0
    %2 = train.dropout %1 rate 0.1
    %3 = train.linear %2, %w2
    %l = train.softmax_cross_entropy %3, %label
    train.return %l
  }""", 256),
    # Both activations of the hidden layer are as large as its cotangent, which no product on a GPU writes over an input.
    "wide mlp": ("""
  train.param @w1 : f32[20, 256] = #train.kaiming_uniform
  train.param @b1 : f32[256] = #train.zeros
  train.param @w2 : f32[256, 5] = #train.kaiming_uniform
  train.func @loss(%x: f32[batch, 20], %label: i64[batch]) {
    %0 = train.linear %x, %w1, %b1
    %1 = train.gelu %0
    %2 = train.linear %1, %w2
    %l = train.softmax_cross_entropy %2, %label smoothing 0.1
    train.return %l
  }""", 4096),
    "convolutions": ("""
  train.param @f1 : f32[8, 3, 3, 3] = #train.kaiming_uniform
  train.param @f2 : f32[16, 3, 3, 8] = #train.kaiming_uniform
  train.param @gamma : f32[8] = #train.ones
  train.param @beta : f32[8] = #train.zeros
  train.buffer @mean : f32[8] = #train.zeros
  train.buffer @variance : f32[8] = #train.ones
  train.param @w : f32[16, 5] = #train.kaiming_uniform
  train.func @loss(%x: f32[batch, 12, 12, 3], %label: i32[batch]) {
    %0 = train.conv2d %x, %f1 strides [1, 1] padding [1, 1, 1, 1]
    %1 = train.batch_norm %0, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
    %2 = train.relu %1
    %3 = train.conv2d %2, %f2 strides [2, 2] padding [1, 1, 1, 1]
    %4 = train.relu %3
    %5 = train.reduce_mean %4 over [1, 2]
    %6 = train.linear %5, %w
    %l = train.softmax_cross_entropy %6, %label
    train.return %l
  }""", 16),
    "attention": ("""
  train.param @table : f32[50, 32] = #train.normal<std = 0.02>
  train.param @qkv : f32[32, 96] = #train.kaiming_uniform
  train.param @out : f32[32, 32] = #train.kaiming_uniform
  train.param @gamma : f32[32] = #train.ones
  train.param @beta : f32[32] = #train.zeros
  train.func @loss(%id: i32[batch, 24], %label: i32[batch, 24]) {
    %0 = train.embedding %table at %id
    %1 = train.layer_norm %0, %gamma, %beta eps 1.0e-5
    %2 = train.linear %1, %qkv
    %q, %k, %v = train.split %2 into [32, 32, 32] along 2
    %qh = train.reshape %q to [batch, 24, 4, 8]
    %kh = train.reshape %k to [batch, 24, 4, 8]
    %vh = train.reshape %v to [batch, 24, 4, 8]
    %qt = train.transpose %qh [0, 2, 1, 3]
    %kt = train.transpose %kh [0, 2, 1, 3]
    %vt = train.transpose %vh [0, 2, 1, 3]
    %s = train.matmul %qt, %kt transpose_rhs
    %p = train.softmax %s
    %o = train.matmul %p, %vt
    %ot = train.transpose %o [0, 2, 1, 3]
    %of = train.reshape %ot to [batch, 24, 32]
    %3 = train.linear %of, %out
    %4 = train.add %0, %3
    %5 = train.matmul %4, %table transpose_rhs
    %l = train.softmax_cross_entropy %5, %label
    train.return %l
  }""", 8),
}
# Names, attributes of the step, and options: clipping and skipped steps read all gradients before the first update.
STEPS = {
    "plain": ("", []),
    "clipped": ("clip_norm = 1.0, ", []),
    "bf16": ("clip_norm = 1.0, ", ["--precision=bf16"]),
    "f16": ("", ["--precision=f16"]),  # with a loss scale
}
ALIGNMENT = 64


def arena(path, text, options):
    """(bytes of the arena, bytes saved for the backward pass, bytes of all gradients) of the step."""
    with open(path, "w") as out:
        out.write(text)
    plan = subprocess.run(["ampc", "compile", path, "--compile-to=plan", *options], check=True, capture_output=True, text=True).stdout
    program = next(line for line in plan.splitlines() if "kernel.program @fit.train(" in line)
    found = {name: int(re.search(rf" {name} = (\d+) : i64", program)[1]) for name in ("arena_bytes", "saved_bytes")}
    gradients = 0
    for shape in re.findall(r"train.param @\S+ : f32\[(.*)\] =", text):
        gradients += -(-math.prod(map(int, shape.split(","))) * 4 // ALIGNMENT) * ALIGNMENT
    return found["arena_bytes"], found["saved_bytes"], gradients


def check(folder, target):
    good = True
    for name, (body, batch) in MODELS.items():
        for kind, (attributes, options) in STEPS.items():
            found = {}
            for parts in (1, 2, 4, 8):
                text = (f"train.model @m(batch = {batch}) {{{body}\n  train.step @fit minimize @loss over all "
                        f"with #train.adamw<lr = 1.0e-3> {{{attributes}micro_batches = {parts}}}\n}}\n")
                found[parts] = arena(f"{folder}/{name}.mlir", text, [f"--target={target}", *options])
            one, kept, gradients = found[1]
            excess = max((found[parts][0] - gradients) / one for parts in (2, 4, 8))
            keeps = max(found[parts][1] for parts in (2, 4, 8)) / kept
            fits = excess <= 1.1 and keeps <= 1.1 and all(bytes >= saved for bytes, saved, _ in found.values())
            good &= fits
            print(f"{target} {name} {kind}: arena {' '.join(str(found[parts][0]) for parts in found)}, gradients {gradients}, "
                  f"at most {excess:.3f} of one micro-batch; keeps {keeps:.3f} of one" + ("" if fits else " TOO MUCH"))
    return good


folder, target = sys.argv[1:]
subprocess.run(["mkdir", "-p", folder], check=True)
print("bounded" if check(folder, target) else "unbounded")
