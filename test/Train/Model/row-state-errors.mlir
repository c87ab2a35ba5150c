// Buffers per row of the batch: first values, marks, and steps that share rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate --split-input-file --verify-diagnostics

train.model @drawn(batch = 4) {
  // expected-error @below {{expected #train.zeros, #train.ones or #train.fill<...> of @h, with which evaluations and exports of any batch begin, but got #train.normal}}
  train.buffer @h : f32[batch, 3] = #train.normal<std = 0.1>
  train.func @f(%x: f32[batch, 3]) {
    %y = train.add %x, %h
    train.return %y
  }
  train.export @f as "f"
}

// -----

train.model @not_leading(batch = 4) {
  train.buffer @h : f32[3, batch] = #train.zeros
  train.func @f(%x: f32[batch, 3]) {
    %y = train.matmul %x, %h
    train.return %y
  }
  // expected-error @below {{expected state whose type has the batch as its leading dimension only, but @h is}}
  train.export @f as "f" batch 1
}

// -----

train.model @no_rows(batch = 4) {
  // expected-error @below {{expected train.passed = no value, on a buffer whose leading dimension is the size batch, but got unit}}
  train.buffer @h : f32[3] = #train.zeros {train.passed}
}

// -----

train.model @shared(batch = 4) {
  train.param @w : f32[3] = #train.zeros
  train.buffer @h : f32[batch, 3] = #train.zeros
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.mul %x, %w
    %z = train.add %y, %h
    train.write @h, %z
    %l = train.mse %z, %x
    train.return %l
  }
  train.step @one minimize @loss over all with #train.sgd<lr = 0.1>
  // expected-error @below {{expected as many micro-batches as in @one, which has the rows of @h, too}}
  train.step @two minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

train.model @mixed(batch = 4) {
  train.param @w : f32[3] = #train.zeros
  train.buffer @h : f32[batch, 3] = #train.zeros
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.mul %x, %w
    %z = train.add %y, %h
    %t = train.transpose %z [1, 0]
    // expected-error @below {{expected the new value of @h to have a row per row of the batch, but loss/reshape#0 combines rows}}
    %back = train.reshape %t to [batch, 3]
    train.write @h, %back
    %l = train.mse %z, %x
    train.return %l
  }
  // expected-note @below {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}
