// Matrix tiles pack sides of neighbouring lines in stretches of rows: packing a stretch prefetches the next stretch of each side.
// Vectors pack panel by panel among the products, which hide the loads, and prefetch packed panels of B alone.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx512,amx" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel.program @gradient(%x: tensor<128x128xbf16>, %g: tensor<128x128xbf16>) -> tensor<128x128xf32> {
  %0 = kernel.gemm %x, %g : tensor<128x128xbf16>, tensor<128x128xbf16> acc f32
      maps [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [128, 128] depth 128
      epilogue () maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<128x128xf32>
  kernel.return %0 : tensor<128x128xf32>
}
// CHECK-LABEL: module @tier_avx512
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// A row of a panel of 32 lines of bf16 is a cache line.
// CHECK-LABEL: module @tier_amx
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: tdpbf16ps
// CHECK-NOT: llvm.intr.prefetch
