// Members of kernel.multi_map: sizes that are no multiple of a vector, a block or a thread's share; the bits of the reference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_80 %s | FileCheck %s --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_90a %s | FileCheck %s --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=reference %s | FileCheck %s --check-prefix=REFERENCE --implicit-check-not=FAILED
// RUN: ampc-kernel-run --target=sm_80 --emit=nvvm %s | FileCheck %s --check-prefix=SHAPE
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %s | FileCheck %s --check-prefix=PTX

// CHECK-COUNT-4: {{.*}} 1 launch, {{.*}} ok
// REFERENCE-COUNT-4: ok

// Blocks of 1024 points: 1 + 5 + 1.
// SHAPE: form = "3 members, 4 points a thread"
// SHAPE-SAME: grid = [7, 1, 1], block = [256, 1, 1]
// SHAPE-SAME: form = "2 members, 4 points a thread"
// SHAPE-SAME: grid = [2, 1, 1]
// SHAPE-SAME: form = "4 members, 2 points a thread"
// SHAPE-SAME: grid = [4, 1, 1]
// SHAPE-SAME: form = "2 members, 2 points a thread"
// SHAPE-SAME: grid = [437, 1, 1]

// One body: vectors of 16 bytes, and branches by block to a member's pointers.
// PTX-LABEL: .entry model_k0_sm_80(
// PTX-COUNT-2: ld.global.v4
// PTX-NOT: ld.global.v4
// PTX-LABEL: .entry model_k1_sm_80(
kernel.program @updates(%rate: tensor<f32>, %p: tensor<24x32xf32>, %g: tensor<24x32xf32>, %q: tensor<5000xf32>, %h: tensor<1x5000xf32>,
                        %r: tensor<4xf32>, %i: tensor<1x4xf32>) -> (tensor<24x32xf32>, tensor<5000xf32>, tensor<4xf32>) {
  %new:3 = kernel.multi_map shared(%rate : tensor<f32>) members 3
      (%p, %g, %q, %h, %r, %i : tensor<24x32xf32>, tensor<24x32xf32>, tensor<5000xf32>, tensor<1x5000xf32>, tensor<4xf32>, tensor<1x4xf32>) {
  ^bb0(%s: f32, %a: f32, %b: f32):
    %0 = arith.mulf %b, %s : f32
    %1 = arith.subf %a, %0 : f32
    kernel.yield %1 : f32
  } : tensor<24x32xf32>, tensor<5000xf32>, tensor<4xf32>
  kernel.return %new#0, %new#1, %new#2 : tensor<24x32xf32>, tensor<5000xf32>, tensor<4xf32>
}

// A partial vector at the end; a result in bf16 beside one in f32, as of a working copy.
kernel.program @partial(%p: tensor<7xf32>, %q: tensor<3x5xf32>) -> (tensor<7xf32>, tensor<7xbf16>, tensor<3x5xf32>, tensor<3x5xbf16>) {
  %new:4 = kernel.multi_map shared() members 2 (%p, %q : tensor<7xf32>, tensor<3x5xf32>) {
  ^bb0(%a: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %0, %1 : f32, bf16
  } : tensor<7xf32>, tensor<7xbf16>, tensor<3x5xf32>, tensor<3x5xbf16>
  kernel.return %new#0, %new#1, %new#2, %new#3 : tensor<7xf32>, tensor<7xbf16>, tensor<3x5xf32>, tensor<3x5xbf16>
}

// Scalars in f64, and no shared tensor.
kernel.program @scalars(%a: tensor<f64>, %b: tensor<1x1xf64>, %c: tensor<f64>, %d: tensor<f64>)
    -> (tensor<f64>, tensor<1x1xf64>, tensor<f64>, tensor<1xf64>) {
  %new:4 = kernel.multi_map shared() members 4 (%a, %b, %c, %d : tensor<f64>, tensor<1x1xf64>, tensor<f64>, tensor<f64>) {
  ^bb0(%x: f64):
    %0 = arith.mulf %x, %x : f64
    kernel.yield %0 : f64
  } : tensor<f64>, tensor<1x1xf64>, tensor<f64>, tensor<1xf64>
  kernel.return %new#0, %new#1, %new#2, %new#3 : tensor<f64>, tensor<1x1xf64>, tensor<f64>, tensor<1xf64>
}

// Two vectors a thread: blocks of 1024 points, 434 and 3.
kernel.program @large(%p: tensor<217x2048xf64>, %q: tensor<2111xf64>, %s: tensor<1xf64>) -> (tensor<217x2048xf64>, tensor<2111xf64>) {
  %new:2 = kernel.multi_map shared(%s : tensor<1xf64>) members 2 (%p, %q : tensor<217x2048xf64>, tensor<2111xf64>) {
  ^bb0(%f: f64, %a: f64):
    %0 = arith.addf %a, %f : f64
    kernel.yield %0 : f64
  } : tensor<217x2048xf64>, tensor<2111xf64>
  kernel.return %new#0, %new#1 : tensor<217x2048xf64>, tensor<2111xf64>
}
