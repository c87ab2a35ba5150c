// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-expand-gradients --train-autodiff --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @elsewhere {
  train.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %0 = train.mul %x, %x : tensor<3xf32>, tensor<3xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<3xf32>
    // expected-error @below {{expected the value that is differentiated to depend on %y, but the value does not}}
    %2, %3 = train.grad %1 wrt %x, %y : tensor<f32>, tensor<3xf32>, tensor<3xf32>
    %4 = train.add %2, %3 : tensor<3xf32>, tensor<3xf32>
    train.return %4 : tensor<3xf32>
  }
  train.export @f as "f"
}

// -----

// stop_gradient stops inner gradients (train.grad), too.
train.model @stopped {
  train.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
    %s = train.stop_gradient %x : tensor<3xf32>
    %0 = train.mul %s, %s : tensor<3xf32>, tensor<3xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<3xf32>
    // expected-error @below {{expected the value that is differentiated to depend on %x, but the value does not}}
    %2 = train.grad %1 wrt %x : tensor<f32>, tensor<3xf32>
    train.return %2 : tensor<3xf32>
  }
  train.export @f as "f"
}

// -----

// A derivative that vanishes is no mistake: that of a straight line's slope.
train.model @straight {
  train.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = train.reduce_sum %x over [0] : tensor<3xf32>
    %1 = train.grad %0 wrt %x : tensor<f32>, tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    %3 = train.grad %2 wrt %x : tensor<f32>, tensor<3xf32>
    train.return %3 : tensor<3xf32>
  }
  train.export @f as "f"
}

// -----

// An op without a derivative, from an intermediate value on.
train.model @replaced {
  train.func @f(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
    %h = train.tanh %x : tensor<3xf32>
    %0 = train.mul %h, %h : tensor<3xf32>, tensor<3xf32>
    // expected-error @below {{expected a differentiable op on an active path, but f/tanh#0 -> f/mul#0 -> f/scatter_rows#0 reaches the value that f/grad#0 differentiates}}
    %1 = train.scatter_rows %0 at %i into %x : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    // expected-note @below {{differentiated here}}
    %3 = train.grad %2 wrt %h : tensor<f32>, tensor<3xf32>
    train.return %3 : tensor<3xf32>
  }
  train.export @f as "f"
}

// -----

// A step and the step's evaluation are instances of the same function: a single error.
train.model @parameter {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = train.square %x : tensor<3xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<3xf32>
    // expected-error @below {{expected the value that is differentiated to depend on @w, but the value does not}}
    %2 = train.grad %1 wrt %w : tensor<f32>, tensor<3xf32>
    %3 = train.mse %2, %w : tensor<3xf32>, tensor<3xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

// The step differentiates an inner derivative: the error names the active path through the op without a derivative.
train.model @again {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
    %1 = train.square %0 : tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    %3 = train.grad %2 wrt %x : tensor<f32>, tensor<3xf32>
    // expected-error @below {{expected a differentiable op on an active path, but @w -> loss/mul#0 -> loss/square#0.grad -> loss/mul#0.grad -> loss/scatter_rows#0 reaches the loss}}
    %4 = train.scatter_rows %3 at %i into %x : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %5 = train.reduce_sum %4 over [0] : tensor<3xf32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
