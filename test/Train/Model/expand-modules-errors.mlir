// Names that modules and exports refer to may be missing, or be taken already.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --split-input-file --verify-diagnostics

train.model @m(batch = 2) {
  // expected-error @below {{expected a function of the model, but @f is none}}
  train.export @f as "f" batch 1
}

// -----

train.model @m {
  train.param @w : f32[] = #train.zeros
  // expected-error @below {{expected a function of the model, but @loss is none}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}

// -----

train.model @m(batch = 2) {
  train.func @f(%x: f32[batch]) {
    train.return %x
  }
  train.func @f.batch3(%x: f32[batch]) {
    train.return %x
  }
  // expected-error @below {{expected no other @f.batch3, which is @f for this batch}}
  train.export @f as "f" batch 3
}

// -----

train.model @m {
  train.func @f(%x: f32[2]) {
    // expected-error @below {{expected an earlier module of that name, but @a is none}}
    %y = train.apply @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
    train.return %y
  }
  train.export @f as "f"
}
