// Kernels that differ only in the mode are two kernels: CPUs have code for one mode and refuse the other, also within a kernel with reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --split-input-file --kernel-configure --kernel-emit="tiers=plain" 2>&1 | FileCheck %s --implicit-check-not=error:

#x = affine_map<(d0, d1, d2) -> (d2, d0)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @two(%x: tensor<8x4xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = kernel.gemm %x, %y : tensor<8x4xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  // CHECK: compute-modes.mlir:[[#@LINE+1]]:{{.*}}error: expected a contraction in a type that CPUs multiply, but got the mode [tf32, tf32] of GPUs
  %1 = kernel.gemm %x, %y : tensor<8x4xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {compute = [tf32, tf32]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

#x = affine_map<(d0, d1, d2) -> (d2, d0)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @totals(%x: tensor<8x4xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<f32>) {
  %0:2 = kernel.fused_reduction(%x, %y : tensor<8x4xf32>, tensor<8x6xf32>) of {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>):
    // CHECK: compute-modes.mlir:[[#@LINE+1]]:{{.*}}error: expected a contraction in a type that CPUs multiply, but got the mode [tf32, tf32] of GPUs
    %g = kernel.gemm %a, %b : tensor<8x4xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
        attributes {compute = [tf32, tf32]} {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<4x6xf32>
    kernel.yield %g : tensor<4x6xf32>
  } sum {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<4x6xf32>, tensor<f32>
  kernel.return %0#0, %0#1 : tensor<4x6xf32>, tensor<f32>
}
