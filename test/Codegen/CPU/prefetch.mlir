// Inputs that the body of a product reads in separate rows are prefetched before the products of a tile, and nothing else: the bias
// is near, the result would take fill buffers from loads, and vectors (avx512) read input rows one after the other and prefetch
// panels of B alone.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx512,amx" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel.program @residual(%a: tensor<96x64xbf16>, %b: tensor<64x64xbf16>, %bias: tensor<64xf32>, %x: tensor<96x64xbf16>) -> (tensor<96x64xf32>) {
  %0 = kernel.gemm %a, %b : tensor<96x64xbf16>, tensor<64x64xbf16> acc f32
      maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
      space [96, 64] depth 64 epilogue (%bias, %x : tensor<64xf32>, tensor<96x64xbf16>)
      maps [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: f32, %y: f32, %z: bf16):
    %1 = arith.addf %sum, %y : f32
    %2 = arith.extf %z : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    kernel.yield %3 : f32
  } : tensor<96x64xf32>
  kernel.return %0 : tensor<96x64xf32>
}
// CHECK-LABEL: module @tier_avx512
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// A row of a tile of 32 columns of bf16 is a cache line.
// CHECK-LABEL: module @tier_amx
// CHECK: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: tdpbf16ps
// CHECK-NOT: llvm.intr.prefetch
