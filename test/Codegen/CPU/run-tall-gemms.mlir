// Products with twice as many rows as columns: tasks of vectors keep all columns, also in blocks of k and at edges.
// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK: model_k0_plain: 15 tasks, {{.*}}ok
// CHECK: model_k1_plain: {{.*}}ok
// CHECK: model_k2_plain: {{.*}}ok
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d0)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @turned(%x: tensor<75x530xf32>, %y: tensor<75x258xf32>) -> tensor<530x258xf32> {
  %0 = kernel.gemm %x, %y : tensor<75x530xf32>, tensor<75x258xf32> acc f32 maps [#columns, #rhs] space [530, 258] depth 75
      epilogue () maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<530x258xf32>
  kernel.return %0 : tensor<530x258xf32>
}
kernel.program @blocks(%x: tensor<400x521xf32>, %y: tensor<400x260xf32>) -> tensor<521x260xf32> {
  %0 = kernel.gemm %x, %y : tensor<400x521xf32>, tensor<400x260xf32> acc f32 maps [#columns, #rhs] space [521, 260] depth 400
      epilogue () maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<521x260xf32>
  kernel.return %0 : tensor<521x260xf32>
}
kernel.program @narrow(%x: tensor<530x75xbf16>, %y: tensor<75x258xbf16>) -> tensor<530x258xf32> {
  %0 = kernel.gemm %x, %y : tensor<530x75xbf16>, tensor<75x258xbf16> acc f32 maps [#rows, #rhs] space [530, 258] depth 75
      epilogue () maps [] -> [#id] attributes {test.tolerance = 3.0e-5, test.low = -1.0, test.high = 1.0} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<530x258xf32>
  kernel.return %0 : tensor<530x258xf32>
}
