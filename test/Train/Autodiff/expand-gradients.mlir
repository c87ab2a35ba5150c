// Gradients inside of functions: first and second derivatives, several sources, and the stage of each op in a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-expand-gradients --train-simplify | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-expand-gradients --train-autodiff --train-simplify | FileCheck %s --check-prefix=STEP

train.model @curve {
  train.param @w : tensor<f32> = #train.ones
  // f = sum w x^2; df/dx = 2 w x; d(sum df/dx)/dx = 2 w.
  train.func @slopes(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
    %w = train.read @w : tensor<f32>
    %0 = train.square %x : tensor<5xf32>
    %1 = train.mul %0, %w : tensor<5xf32>, tensor<f32>
    %2 = train.reduce_sum %1 over [0] : tensor<5xf32>
    %3 = train.grad %2 wrt %x : tensor<f32>, tensor<5xf32>
    %4 = train.reduce_sum %3 over [0] : tensor<5xf32>
    %5 = train.grad %4 wrt %x : tensor<f32>, tensor<5xf32>
    train.return %3, %5 : tensor<5xf32>, tensor<5xf32>
  }
  train.func @loss(%x: tensor<5xf32>) -> tensor<f32> {
    %0, %1 = train.call @slopes(%x) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
    %2 = train.mse %0, %1 : tensor<5xf32>, tensor<5xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.export @slopes as "slopes"
}

// No seed of a backward pass, and no backward stage: the inner derivative is part of the forward pass.
// CHECK-LABEL: train.func @export.slopes
// CHECK-SAME:  %[[W:[a-z0-9]+]]: tensor<f32> {train.is = #train.state<@w>}, %[[X:[a-z0-9]+]]: tensor<5xf32>
// CHECK-NOT:   train.seed
// CHECK-NOT:   train.square
// CHECK:       %[[TWO:.*]] = train.constant dense<2.0
// CHECK-NOT:   stage
// CHECK-NOT:   train.grad
// CHECK:       train.return

// STEP-LABEL:  train.func @fit.grad
// STEP-NOT:    stage = backward
// STEP:        train.seed
// STEP-NOT:    train.seed
// STEP:        train.gradient @w
