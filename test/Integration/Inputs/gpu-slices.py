# Micro-batches of one row: slices of inputs that start at no multiple of 16 bytes, beside the CPU.
# gpu-slices.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random

from trained import Trained, array, build, expect, failures

MODEL = """train.model @m {
  train.param @w1 : tensor<5x8xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<8x3xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<1x5xf32>, %y: tensor<1xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<5x8xf32>
    %w2 = train.read @w2 : tensor<8x3xf32>
    %0 = train.matmul %x, %w1 : (tensor<1x5xf32>, tensor<5x8xf32>) -> tensor<1x8xf32>
    %1 = train.tanh %0 : tensor<1x8xf32>
    %2 = train.matmul %1, %w2 : (tensor<1x8xf32>, tensor<8x3xf32>) -> tensor<1x3xf32>
    %3 = train.softmax_cross_entropy %2, %y : tensor<1x3xf32>, tensor<1xi32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.adamw<lr = 0.05> {micro_batches = 3}
}
"""
numbers = random.Random(1)
data = [array("f32", [numbers.gauss(0, 1) for _ in range(15)]), array("i32", [0, 2, 1])]
for precision, bound in (("f32", 0), ("bf16", 1e-3)):
    library, name = build(f"slices-{precision}", MODEL, f"--precision={precision}", "--target=sm_80,cpu", "--gpu-images=ptx")
    gpu, cpu = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cpu")
    losses = [[model.given(data, "train_step").loss for _ in range(3)] for model in (gpu, cpu)]
    near = max(abs(a - b) / abs(b) for a, b in zip(*losses))
    if near > bound:
        expect(f"{precision}: losses {losses}", near, 0)
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
