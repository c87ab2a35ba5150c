// RUN: %ampc-opt %s --train-name-ops --train-instantiate --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @unused {
  train.param @w : tensor<f32> = #train.zeros
  // expected-error @below {{expected a step over @v, or the attribute frozen, but no step changes the parameter}}
  train.param @v : tensor<f32> = #train.zeros
  train.func @loss() -> tensor<f32> {
    %w = train.read @w : tensor<f32>
    train.return %w : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @recursive {
  train.func @f(%x: tensor<f32>) -> tensor<f32> {
    // expected-error @below {{expected no recursion, but @f calls itself}}
    %0 = train.call @f(%x) : (tensor<f32>) -> tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.export @f as "predict"
}

// -----

train.model @twice {
  train.func @f(%x: tensor<f32>) -> tensor<f32> {
    train.return %x : tensor<f32>
  }
  train.export @f as "predict"
  // expected-error @below {{expected one export named "predict", but there are two}}
  train.export @f as "predict"
}

// -----

train.model @not_scalar {
  train.param @w : tensor<3xf32> = #train.zeros
  train.func @loss() -> tensor<3xf32> {
    %w = train.read @w : tensor<3xf32>
    train.return %w : tensor<3xf32>
  }
  // expected-error @below {{expected a loss that returns real scalars, but @loss has type '() -> tensor<3xf32>'}}
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @write_param {
  train.param @w : tensor<f32> = #train.zeros
  train.func @f(%x: tensor<f32>) -> tensor<f32> {
    // expected-error @below {{expected a buffer, but @w is a parameter, which steps change}}
    train.write @w, %x : tensor<f32>
    train.return %x : tensor<f32>
  }
}

// -----

train.model @two_values {
  train.param @w : tensor<f32> = #train.zeros
  train.buffer @seen : tensor<f32> = #train.zeros
  train.func @note(%x: tensor<f32>) -> tensor<f32> {
    // expected-error @below {{expected one value of @seen after a step, but got a second value}}
    // expected-note @below {{the first is here}}
    train.write @seen, %x : tensor<f32>
    train.return %x : tensor<f32>
  }
  train.func @loss() -> tensor<f32> {
    %w = train.read @w : tensor<f32>
    %0 = train.call @note(%w) : (tensor<f32>) -> tensor<f32>
    %1 = train.call @note(%0) : (tensor<f32>) -> tensor<f32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// -----

train.model @classes {
  train.func @right(%x: tensor<3x2xf32>) -> tensor<f32> {
    %c = train.constant dense<[0, -1, 1]> : tensor<3xi64>
    %0 = train.softmax_cross_entropy %x, %c ignore -1 : tensor<3x2xf32>, tensor<3xi64>
    train.return %0 : tensor<f32>
  }
  train.func @wrong(%x: tensor<3x2xf32>) -> tensor<f32> {
    %c = train.constant dense<[0, -1, 2]> : tensor<3xi32>
    // expected-error @below {{expected classes in [0, 2), but the constant has 2}}
    %0 = train.softmax_cross_entropy %x, %c ignore -1 : tensor<3x2xf32>, tensor<3xi32>
    train.return %0 : tensor<f32>
  }
  train.export @right as "right"
  train.export @wrong as "wrong"
}
