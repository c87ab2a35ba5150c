// Passes for a single flat block per function report an error at an op with regions, and drop nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: for pass in train-instantiate train-absorb-transposes train-autodiff train-expand-step train-mark-values train-observe amp-assign-precision \
// RUN:     amp-lower-accumulation amp-insert-loss-scaling amp-recompute amp-lower-loss-scaling convert-train-to-kernel; do \
// RUN:   not %ampc-opt --$pass %s 2>&1 >/dev/null | FileCheck %s -DPASS=$pass || exit 1; done
// RUN: not ampc compile %s -o %t 2>&1 | FileCheck %s -DPASS=train-instantiate

train.model @m {
  train.param @w : tensor<16x4xf32> = #train.zeros
  train.func @loss(%x: tensor<8x16xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<16x4xf32>
    %first = arith.constant 0 : index
    %one = arith.constant 1 : index
    %last = arith.constant 3 : index
    // CHECK: regions.mlir:[[# @LINE + 1]]:10: error: 'scf.for' op expected an op without regions, which [[PASS]] would not look into, but got 1
    %z = scf.for %i = %first to %last step %one iter_args(%v = %x) -> tensor<8x16xf32> {
      %1 = train.tanh %v : tensor<8x16xf32>
      scf.yield %1 : tensor<8x16xf32>
    }
    %p = train.matmul %z, %w : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %l = train.mse %p, %y : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  // CHECK-NOT: error
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.01>
}
