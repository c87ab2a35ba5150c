// Real sizes where a whole number is needed, and numbers that no size takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules

train.model @m(beta = 0.5) {
  // expected-error @below {{expected a whole number, but beta is 0.5}}
  train.param @w : f32[beta] = #train.zeros
}

// -----

train.model @m(beta = 0.5) {
  // expected-error @below {{expected a whole number, but 4 * beta is 2.0}}
  train.param @w : f32[4 * beta] = #train.zeros
}

// -----

train.model @m {
  // expected-error @below {{expected a whole number, but got 1.5}}
  train.param @w : f32[1.5] = #train.zeros
}

// -----

train.model @m(beta = 0.5) {
  train.func @f(%x: f32[8, 4]) {
    // expected-error @below {{expected a whole number, but beta is 0.5}}
    %y = train.softmax %x along beta
    train.return %y
  }
}

// -----

// expected-error @below {{expected a positive width, but got 0; the real number 0 is written 0.0}}
train.model @m(width = 0) {
}

// -----

// expected-error @below {{expected a finite beta, but got inf}}
train.model @m(huge = 1e300, beta = huge * huge) {
}

// -----

train.model @m(beta = 0.5) {
  train.model @layer(width = 4) {
    train.param @w : f32[width] = #train.zeros
  }
  // expected-error @below {{expected a whole number as width, but got 0.5}}
  train.use @layer as @a (width = beta)
}

// -----

train.model @m(beta = 0.5) {
  train.func @f(%x: f32[8, 4]) {
    // expected-error @below {{expected the name of a size, but got bta; did you mean beta?}}
    %y = train.leaky_relu %x slope bta
    train.return %y
  }
}
