// RUN: ampc-opt %s | ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: kernel.program @updates
// CHECK: %0:2 = kernel.multi_map shared(%arg0 : tensor<f32>) members 2(%arg1, %arg2, %arg3, %arg4 : tensor<4x8xf32>, tensor<32xf32>, tensor<8xf32>, tensor<1x8xf32>) {
// CHECK-NEXT: ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
// CHECK: } : tensor<4x8xf32>, tensor<8xf32>
kernel.program @updates(%rate: tensor<f32>, %p: tensor<4x8xf32>, %g: tensor<32xf32>, %q: tensor<8xf32>, %h: tensor<1x8xf32>)
    -> (tensor<4x8xf32>, tensor<8xf32>) {
  %0:2 = kernel.multi_map shared(%rate : tensor<f32>) members 2 (%p, %g, %q, %h : tensor<4x8xf32>, tensor<32xf32>, tensor<8xf32>, tensor<1x8xf32>) {
  ^bb0(%r: f32, %a: f32, %b: f32):
    %1 = arith.mulf %b, %r : f32
    %2 = arith.subf %a, %1 : f32
    kernel.yield %2 : f32
  } : tensor<4x8xf32>, tensor<8xf32>
  kernel.return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
}

// No operands at all.
// CHECK: kernel.multi_map shared() members 2() {
kernel.program @constants() -> (tensor<4xf32>, tensor<5xf32>) {
  %0:2 = kernel.multi_map shared() members 2 () {
    %c = arith.constant 1.0 : f32
    kernel.yield %c : f32
  } : tensor<4xf32>, tensor<5xf32>
  kernel.return %0#0, %0#1 : tensor<4xf32>, tensor<5xf32>
}
