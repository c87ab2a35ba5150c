# Micro-batches of a single row: slices of inputs that start at no multiple of 16 bytes, against the CPU.
# gpu-slices.py FOLDER CC
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import random

from trained import Trained, array, build, expect, failures

MODEL = """train.model @m {
  train.param @w1 : tensor<5x8xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<8x3xf32> = #train.kaiming_uniform
  train.param @gamma : tensor<5xf32> = #train.ones
  train.param @beta : tensor<5xf32> = #train.zeros
  train.param @table : tensor<7x5xf32> = #train.normal<std = 0.3>
  train.param @filter : tensor<2x2x2x3xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<1x5xf32>, %image: tensor<1x3x3x3xf32>, %heads: tensor<1x1x3x2xf32>, %word: tensor<1x3xi32>, %y: tensor<1xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<5x8xf32>
    %w2 = train.read @w2 : tensor<8x3xf32>
    %gamma = train.read @gamma : tensor<5xf32>
    %beta = train.read @beta : tensor<5xf32>
    %table = train.read @table : tensor<7x5xf32>
    %filter = train.read @filter : tensor<2x2x2x3xf32>
    %n = train.layer_norm %x, %gamma, %beta eps 1.0e-5 : tensor<1x5xf32>, tensor<5xf32>, tensor<5xf32>
    %s = train.softmax %x : tensor<1x5xf32>
    %e = train.embedding %table at %word : tensor<7x5xf32>, tensor<1x3xi32>
    %e1 = train.reduce_sum %e over [1] : tensor<1x3x5xf32>
    %c = train.conv2d %image, %filter strides [1, 1] padding [0, 0, 0, 0] : (tensor<1x3x3x3xf32>, tensor<2x2x2x3xf32>) -> tensor<1x2x2x2xf32>
    %c1 = train.reshape %c : tensor<1x2x2x2xf32> to tensor<1x8xf32>
    %a = train.attention %heads, %heads, %heads : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>
    %a1 = train.reduce_sum %a over [1, 2, 3] : tensor<1x1x3x2xf32>
    %1 = train.add %n, %e1 : tensor<1x5xf32>, tensor<1x5xf32>
    %2 = train.add %1, %s : tensor<1x5xf32>, tensor<1x5xf32>
    %3 = train.add %2, %x : tensor<1x5xf32>, tensor<1x5xf32>
    %4 = train.matmul %3, %w1 : (tensor<1x5xf32>, tensor<5x8xf32>) -> tensor<1x8xf32>
    %5 = train.matmul %x, %w1 : (tensor<1x5xf32>, tensor<5x8xf32>) -> tensor<1x8xf32>
    %6 = train.add %4, %5 : tensor<1x8xf32>, tensor<1x8xf32>
    %7 = train.add %6, %c1 : tensor<1x8xf32>, tensor<1x8xf32>
    %8 = train.tanh %7 : tensor<1x8xf32>
    %9 = train.matmul %8, %w2 : (tensor<1x8xf32>, tensor<8x3xf32>) -> tensor<1x3xf32>
    %10 = train.softmax_cross_entropy %9, %y : tensor<1x3xf32>, tensor<1xi32>
    %11 = train.reduce_sum %a1 over [0] : tensor<1xf32>
    %12 = train.add %10, %11 : tensor<f32>, tensor<f32>
    train.return %12 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2, @gamma, @beta, @table, @filter] with #train.adamw<lr = 0.05> {micro_batches = 3}
}
"""
numbers = random.Random(1)


def of_width(width):
    """Rows in registers, and rows that a block holds."""
    text = MODEL
    for what in ("1x", "7x", "1x3x", ""):
        text = text.replace(f"tensor<{what}5xf32>", f"tensor<{what}{width}xf32>")
    return text.replace("tensor<5x8xf32>", f"tensor<{width}x8xf32>")


for width in (5, 302): # slices at multiples of 4 bytes, and of 8
    data = [array("f32", [numbers.gauss(0, 1) for _ in range(3 * count)]) for count in (width, 27, 6)]
    data += [array("i32", [numbers.randrange(limit) for _ in range(count)]) for limit, count in ((7, 9), (3, 3))]
    # Bits equal tiers with sixteen lanes; other lane counts sum in another order, as do bf16 products without bf16 instructions. Another
    # order may round 16-bit values the other way.
    with open("/proc/cpuinfo") as file:
        flags = file.read()
    for precision, bound in (("f32", 0 if "avx512f" in flags else 1e-6), ("bf16", 1e-3 if "avx512_bf16" in flags else 2e-3)):
        library, name = build(f"slices-{width}-{precision}", of_width(width), f"--precision={precision}", "--target=sm_80,cpu", "--gpu-images=ptx")
        gpu, cpu = Trained(library, name, device=b"cuda"), Trained(library, name, device=b"cpu")
        losses = [[model.given(data, "train_step").loss for _ in range(3)] for model in (gpu, cpu)]
        near = max(abs(a - b) / abs(b) for a, b in zip(*losses))
        if near > bound:
            expect(f"{width}, {precision}: losses {losses}", near, 0)
print("ok" if not failures else "failed")
raise SystemExit(bool(failures))
