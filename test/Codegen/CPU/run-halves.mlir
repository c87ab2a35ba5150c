// RUN: ampc-kernel-run %s > %t
// RUN: FileCheck %s --input-file=%t --implicit-check-not=FAILED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every finite f16 times 1 is exact in all tiers, denormal numbers too, though AMX without products of f16 multiplies an f16 as the
// sum of two bf16.
// RUN: %if tiles-f16 %{ FileCheck %s --input-file=%t --check-prefix=HALVES %}
// HALVES-COUNT-2: _amxfp16: {{.*}} error 0 of 0 ok
// CHECK: k0_plain: {{.*}} error 0 of 0 ok
// With infinities and NaNs, results that should not be finite are not, and all other results are exact.
// CHECK: k0_plain: {{.*}} error 0 of 0 ok
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n) -> (m, n)>
kernel.program @finite(%a: tensor<2048x32xf16>, %b: tensor<32x32xf16>) -> tensor<2048x32xf32> {
  %r = kernel.gemm %a, %b : tensor<2048x32xf16>, tensor<32x32xf16> acc f32 maps [#left, #right] space [2048, 32] depth 32
    epilogue () maps [] -> [#out] attributes {test.halves = "finite", test.tolerance = 0.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2048x32xf32>
  kernel.return %r : tensor<2048x32xf32>
}
kernel.program @all(%a: tensor<2048x32xf16>, %b: tensor<32x32xf16>) -> tensor<2048x32xf32> {
  %r = kernel.gemm %a, %b : tensor<2048x32xf16>, tensor<32x32xf16> acc f32 maps [#left, #right] space [2048, 32] depth 32
    epilogue () maps [] -> [#out] attributes {test.halves = "all", test.tolerance = 0.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2048x32xf32>
  kernel.return %r : tensor<2048x32xf32>
}
