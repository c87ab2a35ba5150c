// RUN: %ampc-opt %s --kernel-emit="tiers=avx512" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sine that two stages of a row need is kept, a row of 257 in vectors of 16: 17 vectors, in f64 as in f32. The value of the next thread
// begins behind that row, and behind the sums of columns.
// CHECK: scratch = array<i64: 0, 0, 7296
#row = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @sines(%x: tensor<4x257xf64>) -> tensor<4x257xf64> {
  %y = kernel.map(%x : tensor<4x257xf64>) space [4, 257] maps [#row] -> [#row] {
  ^bb0(%a: f64):
    %0 = math.sin %a : f64
    %1 = kernel.row_reduce sum %0 : f64
    %2 = arith.divf %0, %1 : f64
    kernel.yield %2 : f64
  } : tensor<4x257xf64>
  kernel.return %y : tensor<4x257xf64>
}
