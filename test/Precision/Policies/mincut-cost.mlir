// The bytes that the cut minimizes, counted by hand. A store costs the bytes once to write and once per reader; every value has 32 elements and 1 reader; operands of a pointwise op in the same kernel are not stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=bf16 --explain-precision --compile-to=precision 2>&1 | FileCheck %s
// The input, f32:                                         2 * 4 * 32 = 256
//   in bf16, which takes a cast of (4 + 2) * 32                      = 192
// The tanh, bf16, and the result, f32:                      128 + 256 = 384
// CHECK: cost.mlir:10:3: remark: bytes moved by @export.f under the same compute types: mincut 832, autocast
train.model @cost {
  train.param @w : tensor<8x8xf32> = #train.kaiming_uniform
  train.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %w = train.read @w : tensor<8x8xf32>
    %0 = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = train.tanh %0 : tensor<4x8xf32>
    %2 = train.matmul %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    train.return %2 : tensor<4x8xf32>
  }
  train.export @f as "f"
}
