// A value that reaches the loss through a floor alone has the gradient 0: no error, and no product that a later infinity makes NaN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-strip-origins | FileCheck %s
// RUN: ampc check %s | FileCheck %s --check-prefix=GRADIENT
// GRADIENT: all gradients agree

train.model @stairs {
  train.param @w : tensor<5xf32> = #train.uniform<low = 1.1, high = 1.9>
  train.param @hidden : tensor<5xf32> = #train.uniform<low = 1.1, high = 1.9>
  train.func @loss(%x: tensor<5xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5xf32>
    %hidden = train.read @hidden : tensor<5xf32>
    %0 = train.floor %w : tensor<5xf32>
    %1 = train.sub %w, %0 : tensor<5xf32>, tensor<5xf32>
    %2 = train.log %hidden : tensor<5xf32>
    %3 = train.floor %2 : tensor<5xf32>
    %4 = train.add %1, %3 : tensor<5xf32>, tensor<5xf32>
    %5 = train.mul %4, %x : tensor<5xf32>, tensor<5xf32>
    %6 = train.reduce_sum %5 over [0] : tensor<5xf32>
    train.return %6 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @hidden] with #train.sgd<lr = 0.1>
}

// CHECK-LABEL: train.func @fit.grad
// CHECK:       [[ZERO:%.*]] = train.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       train.seed
// CHECK-NOT:   train.div
// CHECK:       train.gradient @w
// CHECK:       [[ZEROS:%.*]] = train.broadcast_to [[ZERO]] : tensor<f32> to tensor<5xf32>
// CHECK-NEXT:  train.gradient @hidden, [[ZEROS]]
