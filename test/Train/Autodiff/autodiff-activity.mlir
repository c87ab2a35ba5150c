// Ops without a derivative are errors only between a parameter and the loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-strip-origins | FileCheck %s
// RUN: ampc check %s | FileCheck %s --check-prefix=GRADIENT
// GRADIENT: all gradients agree

train.model @inactive {
  train.param @w : tensor<3xf32> = #train.uniform<low = 0.5, high = 2.0>
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %i = train.constant dense<[2, 0, 1]> : tensor<3xi32>
    %half = train.constant dense<0.5> : tensor<f32>
    // scatter_rows of data; of a value behind a stop_gradient, directly or later; of a value before a stop_gradient.
    // CHECK-LABEL: train.func @fit.grad
    // CHECK-COUNT-4: train.scatter_rows
    %0 = train.scatter_rows %x at %i into %x : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %s = train.stop_gradient %w : tensor<3xf32>
    %1 = train.scatter_rows %s at %i into %s : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %t = train.mul %s, %half : tensor<3xf32>, tensor<f32>
    %2 = train.scatter_rows %t at %i into %t : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %m = train.mul %w, %half : tensor<3xf32>, tensor<f32>
    %b = train.scatter_rows %m at %i into %m : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %3 = train.stop_gradient %b : tensor<3xf32>
    // The parameter's own path.
    // CHECK: train.seed
    // CHECK-NOT: train.scatter_rows
    // CHECK: train.gradient @w
    %4 = train.mul %w, %0 : tensor<3xf32>, tensor<3xf32>
    %5 = train.mul %4, %w : tensor<3xf32>, tensor<3xf32>
    %6 = train.add %1, %2 : tensor<3xf32>, tensor<3xf32>
    %7 = train.add %6, %3 : tensor<3xf32>, tensor<3xf32>
    %8 = train.floor %7 : tensor<3xf32> // hidden from differences
    %9 = train.add %5, %8 : tensor<3xf32>, tensor<3xf32>
    %10 = train.reduce_sum %9 over [0] : tensor<3xf32>
    train.return %10 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
