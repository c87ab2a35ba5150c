// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @replaced {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
    // expected-error @below {{expected a differentiable op on an active path, but @w -> loss/mul#0 -> loss/scatter_rows#0 reaches the loss}}
    %1 = train.scatter_rows %0 at %i into %x : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @ignored {
  train.param @w : tensor<f32> = #train.ones
  train.func @loss(%x: tensor<f32>) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
  // expected-error @below {{expected the loss to depend on @w, but the loss does not}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

// A single path around the stop_gradient is enough.
train.model @around {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %s = train.stop_gradient %w : tensor<3xf32>
    %0 = train.mul %s, %w : tensor<3xf32>, tensor<3xf32>
    // expected-error @below {{expected a differentiable op on an active path, but @w -> loss/mul#0 -> loss/scatter_rows#0 reaches the loss}}
    %1 = train.scatter_rows %0 at %i into %x : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @stopped {
  train.param @w : tensor<3xf32> = #train.ones
  // expected-error @below {{expected the loss of step @fit to depend on @w, but the loss does not}}
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %s = train.stop_gradient %w : tensor<3xf32>
    %m = train.mul %s, %x : tensor<3xf32>, tensor<3xf32>
    %0 = train.reduce_sum %m over [0] : tensor<3xf32>
    train.return %0 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
