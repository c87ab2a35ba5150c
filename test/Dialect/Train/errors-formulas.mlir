// Formulas that mean no number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules

train.model @m(width = 4) {
  // expected-error @below {{expected the name of a size, but got widht; did you mean width?}}
  // expected-error @below {{failed to parse Train_NormalAttr parameter 'std'}}
  train.param @w : f32[width] = #train.normal<std = 1 / sqrt(widht)>
}

// -----

train.model @m(width = 4) {
  // expected-error @below {{expected no division by 0}}
  // expected-error @below {{failed to parse Train_NormalAttr parameter 'std'}}
  train.param @w : f32[width] = #train.normal<std = 1 / (width - 4)>
}

// -----

train.model @m(width = 4) {
  // expected-error @below {{expected a root of at least 0, but got sqrt(-1}}
  // expected-error @below {{failed to parse Train_NormalAttr parameter 'std'}}
  train.param @w : f32[width] = #train.normal<std = sqrt(3 - width)>
}

// -----

train.model @m(width = 4) {
  // expected-error @below {{expected a number, but got a formula}}
  // expected-error @below {{failed to parse Amp_ScalingAttr parameter 'initial'}}
  amp.scaler @scale = #amp.scaling<initial = 2 * width>
}

// -----

// Right as the module stands, and wrong with the sizes of a use.
train.model @m(width = 4) {
  train.model @layer(in = width) {
    // expected-error @below {{expected a finite std of at least 0, but got -1}}
    train.param @w : f32[in] = #train.normal<std = in - 3.0>
    train.func @apply(%x: f32[8, in]) {
      %y = train.add %x, %w
      train.return %y
    }
  }
  train.use @layer as @a (in = 2)
  train.func @f(%x: f32[8, 2]) {
    %y = train.apply @a(%x)
    train.return %y
  }
}

// -----

train.model @m(width = 4) {
  // expected-error @below {{a formula per number of an attribute or of the result's shape, but got}}
  train.param @w : tensor<4xf32> = #train.zeros {train.sizes = {init = "width"}}
}
