// Panels of B, packed before or by the product itself, may lie beyond a core's caches: vectors prefetch the panels some points ahead, once per cache line.
// Matrix tiles do not prefetch: the tile loads need the fill buffers.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx2,avx512bf16,amx" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel.program @both(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16, #kernel.packed<rhs, depth = 0, bytes = 8192>>, %c: tensor<64x64xbf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = kernel.gemm %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16, #kernel.packed<rhs, depth = 0, bytes = 8192>> acc f32
      maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [64, 64] depth 64
      epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x64xf32>
  %1 = kernel.gemm %a, %c : tensor<64x64xbf16>, tensor<64x64xbf16> acc f32
      maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [64, 64] depth 64
      epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<64x64xf32>
  kernel.return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
}
// CHECK-LABEL: module @tier_avx2
// CHECK: llvm.func {{.*}}@model_k0
// CHECK: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.func {{.*}}@model_k1
// CHECK-LABEL: module @tier_avx512bf16
// CHECK: llvm.func {{.*}}@model_k0
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.func {{.*}}@model_k1
// CHECK: llvm.intr.prefetch
// CHECK-LABEL: module @tier_amx
// CHECK-NOT: llvm.intr.prefetch
