// Numbers of a gradient that goes past the caches, in whole vectors and at edges of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED
// CHECK: model_k0_plain: {{.*}}ok
// CHECK: model_k0_avx2: {{.*}}ok
// CHECK: {{model_k0_avx512: .*ok|avx512: not on this processor}}
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
kernel.program @gradient(%x: tensor<521x3xf32>, %y: tensor<3x2032xf32>) -> tensor<521xf32> {
  %g = kernel.gemm %x, %y : tensor<521x3xf32>, tensor<3x2032xf32> acc f32 maps [#mk, #kn] space [521, 2032] depth 3
      epilogue () maps [] -> [#mn] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<521x2032xf32>
  %most = kernel.map(%g : tensor<521x2032xf32>) space [521, 2032] maps [#mn] -> [#row] {
  ^bb0(%element: f32):
    %0 = kernel.row_reduce max %element : f32
    kernel.yield %0 : f32
  } : tensor<521xf32>
  kernel.return %most : tensor<521xf32>
}
