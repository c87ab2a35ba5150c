// Gradients of ops without a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 1]) {
    %y = train.square %x
    // constraint train.grad 1
    // expected-error @below {{expected a real scalar to differentiate, but got 'tensor<4x1xf32>'; the gradient of the train.reduce_sum has the derivative of every row}}
    %g = train.grad %y wrt %x
    train.return %g
  }
}

// -----

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 1]) {
    %y = train.square %x
    %s = train.reduce_sum %y over [0, 1]
    // constraint train.grad 2
    // expected-error @below {{expected every value behind wrt once, but got number 1 again}}
    %g, %h = train.grad %s wrt %x, %x
    train.return %g
  }
}

// -----

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 1]) {
    %s = train.reduce_sum %x over [0, 1]
    // constraint train.grad 2
    // expected-error @below {{expected values behind wrt}}
    "train.grad"(%s) : (tensor<f32>) -> ()
    train.return %s
  }
}

// -----

train.model @m(batch = 4) {
  train.param @table : f32[10, 3] = #train.zeros
  train.func @f(%word: i32[batch]) {
    %e = train.embedding %table at %word
    %s = train.reduce_sum %e over [0, 1]
    // constraint train.grad 3
    // expected-error @below {{expected real values behind wrt, but number 0 is 'tensor<4xi32>'}}
    %g = train.grad %s wrt %word
    train.return %s
  }
}

// -----

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 1]) {
    %s = train.reduce_sum %x over [0, 1]
    // expected-error @below {{use of undeclared SSA value name}}
    %g = train.grad %s wrt %t : tensor<f32>, tensor<4x1xf32>
    train.return %g
  }
}

// -----

train.model @m(batch = 4) {
  train.func @f(%x: f32[batch, 1]) {
    %s = train.reduce_sum %x over [0, 1]
    train.return %s
  }
  train.func @g(%x: f32[batch, 1]) {
    // expected-error @below {{expected a value to differentiate, such as the result of train.call @f, but got a function}}
    %g = train.grad @f(%x) wrt %x
    train.return %g
  }
}
