// Operands in a 16-bit type that is not the region's.
// RUN: %ampc-opt %s --train-name-ops --amp-flatten-regions --amp-assign-precision="policy=autocast precision=f16" --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @mixed {
  train.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = amp.autocast bf16 -> tensor<8x8xf32> {
      %2 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      amp.yield %2 : tensor<8x8xf32>
    }
    // expected-error @below {{expected operands of one 16-bit type, but got 'f16' and 'bf16'}}
    %3 = train.add %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %3 : tensor<8x8xf32>
  }
}

// -----

// The widest type starts from the region's type, as in torch: with two operands in bf16 a sum of rows in f16 does not become bf16.
train.model @other {
  train.func @f(%x: tensor<8x8xf32>, %i: tensor<8xi32>) -> tensor<4x8xf32> {
    %0 = amp.autocast bf16 -> tensor<8x8xf32> {
      %1 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      amp.yield %1 : tensor<8x8xf32>
    }
    // expected-error @below {{expected operands of one 16-bit type, but got 'f16' and 'bf16'}}
    %2 = train.scatter_add %0 at %i : tensor<8x8xf32>, tensor<8xi32> to tensor<4x8xf32>
    train.return %2 : tensor<4x8xf32>
  }
}
