// Left sides that vectors read in place, and left sides that vectors pack.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx512" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of a tile, and B: 1536 + 384 * 64 * 4; nothing for A.
// CHECK: name = "model_k0", scratch = array<i64: 0, 0, 99840,
// Of lines of 4096 bytes twelve would share a set of the first cache: zeros, sums of a tile, a panel of A in lines of 33 cache lines, B, and
// 2 x 2 sums between blocks of k: 1536 + 1536 + 12 * 33 * 64 + 1024 * 64 * 4 + 4 * 1536.
// CHECK-SAME: name = "model_k1", scratch = array<i64: 0, 0, 296704,
// The last of five panels of 12 rows begins at row 46, and stores ten of its rows.
// CHECK-LABEL: llvm.func hidden @model_k0_avx512
// CHECK: arith.minsi %{{.*}}, %c46{{[_0-9]*}} : index
// CHECK: llvm.load %{{.*}} -> f32
// CHECK-NEXT: vector.broadcast
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @forward(%x: tensor<58x384xf32>, %w: tensor<384x64xf32>, %y: tensor<58x1024xf32>, %v: tensor<1024x64xf32>) -> (tensor<58x64xf32>, tensor<58x64xf32>) {
  %0 = kernel.gemm %x, %w : tensor<58x384xf32>, tensor<384x64xf32> acc f32 maps [#a, #b] space [58, 64] depth 384
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<58x64xf32>
  %1 = kernel.gemm %y, %v : tensor<58x1024xf32>, tensor<1024x64xf32> acc f32 maps [#a, #b] space [58, 64] depth 1024
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<58x64xf32>
  kernel.return %0, %1 : tensor<58x64xf32>, tensor<58x64xf32>
}
