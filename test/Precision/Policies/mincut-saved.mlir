// The bytes of values with several readers and of a value that waits for the backward pass, counted by hand: 64 elements each.
// RUN: %ampc-opt %s --amp-assign-precision="precision=bf16 explain=true" 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input, f32, written once and read 3 times:       (1 + 3) * 4 * 64 = 1024
//   a rounded copy for the products:                         (4 + 2) * 64 =  384
// %h, which only the relu in its kernel reads:                              =    0
// %r, bf16, written, read twice, kept for later:     (1 + 2 + 1) * 2 * 64 =  512
// Both results, f32, written and returned:           2 * (1 + 1) * 4 * 64 = 1024
// The cotangent of the loss:                                                   4
// CHECK: remark: bytes moved by @f under the same compute types: mincut 2948,
#back = #train.origin<"back", stage = backward>
train.model @saved {
  train.func @f(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %r = train.relu %h : tensor<8x8xf32>
    %0 = train.matmul %r, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %s = train.seed 1.0 {train.origin = #back} : tensor<f32>
    %1 = train.matmul %r, %x {train.origin = #back} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
