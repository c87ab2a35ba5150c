// Scratch and tasks of weight gradients.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx2" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Twice 6 x 16 sums, a panel of 6 lines of A, and 4 blocks of 512 points of B. Where A has many lines, all 24 panels of B stay packed, and
// no part of A is packed for two tasks: 384 + 384 + 12288 + 4 * 24 * 32768, and sums of 11 x 24 tiles.
// CHECK: name = "model_k0", scratch = array<i64: 0, 3260160,{{[^}]*}}tasks = array<i64: 1, 24,
// Else tasks have halves of the columns: 12 panels of B, and sums of 8 x 12 tiles.
// CHECK-SAME: name = "model_k1", scratch = array<i64: 0, 1622784,{{[^}]*}}tasks = array<i64: 1, 16,
// Tiles of 4 x 24 sums would have fewer edges here, but leave one register for numbers of A; with that, tiles of 3 rows read too much of B.
// Tasks are as many of rows as of columns, where neither side is read much more than the other: 6 panels of B, and sums of 6 x 6 tiles.
// CHECK-SAME: name = "model_k2", scratch = array<i64: 0, 813312,{{[^}]*}}tasks = array<i64: 1, 16,
#x = affine_map<(d0, d1, d2) -> (d2, d0)>
#g = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @gradients(%x: tensor<2048x1536xf32>, %y: tensor<2048x384xf32>, %z: tensor<2048x128xf32>, %g: tensor<2048x384xf32>) -> (tensor<1536x384xf32>, tensor<384x384xf32>, tensor<128x384xf32>) {
  %0 = kernel.gemm %x, %g : tensor<2048x1536xf32>, tensor<2048x384xf32> acc f32 maps [#x, #g] space [1536, 384] depth 2048
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1536x384xf32>
  %1 = kernel.gemm %y, %g : tensor<2048x384xf32>, tensor<2048x384xf32> acc f32 maps [#x, #g] space [384, 384] depth 2048
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<384x384xf32>
  %2 = kernel.gemm %z, %g : tensor<2048x128xf32>, tensor<2048x384xf32> acc f32 maps [#x, #g] space [128, 384] depth 2048
      epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<128x384xf32>
  kernel.return %0, %1, %2 : tensor<1536x384xf32>, tensor<384x384xf32>, tensor<128x384xf32>
}
