// Factors of f32 may be rounded to tf32, to nearest with ties away from zero; narrower modes are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --split-input-file --kernel-configure --kernel-emit 2>%t | FileCheck %s
// RUN: FileCheck %s --input-file=%t --check-prefix=ERROR

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "sm_75"} {
// CHECK-LABEL: llvm.func @model_k0_sm_75
// CHECK-DAG: arith.constant 4096 : i32
// CHECK-DAG: arith.constant -8192 : i32
// CHECK: math.fma
kernel.program @tf32(%x: tensor<8x6xf32>, %w: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %y = kernel.gemm %x, %w : tensor<8x6xf32>, tensor<6x4xf32> acc f32 maps [#a, #b] space [8, 4] depth 6 epilogue () maps [] -> [#id]
      attributes {compute = [tf32, tf32]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<8x4xf32>
  kernel.return %y : tensor<8x4xf32>
}
}

// -----

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module attributes {kernel.target = "sm_75"} {
kernel.program @fp8(%x: tensor<8x6xbf16>, %w: tensor<6x4xbf16>) -> tensor<8x4xf32> {
  // ERROR: modes.mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.gemm' op expected a mode that GPUs have code for, which is tf32 of f32, but got 'f8E4M3FN' of 'bf16'
  %y = kernel.gemm %x, %w : tensor<8x6xbf16>, tensor<6x4xbf16> acc f32 maps [#a, #b] space [8, 4] depth 6 epilogue () maps [] -> [#id]
      attributes {compute = [f8E4M3FN, f8E4M3FN]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<8x4xf32>
  kernel.return %y : tensor<8x4xf32>
}
}
