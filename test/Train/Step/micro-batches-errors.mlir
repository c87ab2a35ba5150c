// Losses that no sum over parts of a batch gives are refused at the op that combines rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules --train-name-ops --train-instantiate

train.model @root(batch = 4) {
  train.param @w : f32[3, 2] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 2]) {
    %z = train.linear %x, %w
    %mean = train.mse %z, %t
    // expected-error @+1 {{expected the loss of a batch to be the sum over micro-batches, but loss/sqrt#0 combines rows}}
    %root = train.sqrt %mean
    train.return %root
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

train.model @learned_weights(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 1]) {
    %z = train.linear %x, %w
    %m = train.sigmoid %z
    %l = train.mse %z, %t reduce none
    %ml = train.mul %m, %l
    %sum = train.reduce_sum %ml over [0, 1]
    %number = train.reduce_sum %m over [0, 1]
    // expected-error @+1 {{loss/div#0 combines rows of several micro-batches: only sums over rows, and divisors that depend on no parameter}}
    %loss = train.div %sum, %number
    train.return %loss
  }
  // expected-note @+1 {{in 4 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 4}
}

// -----

train.model @contrastive(batch = 4) {
  train.param @w : f32[3, 2] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, batch]) {
    %z = train.linear %x, %w
    // expected-error @+1 {{loss/matmul#0 combines rows}}
    %products = train.matmul %z, %z transpose_rhs
    %loss = train.mse %products, %t
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

// Beside the loss, too.
train.model @largest(batch = 4) {
  train.param @w : f32[3, 2] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 2]) {
    %z = train.linear %x, %w
    %loss = train.mse %z, %t
    // expected-error @+1 {{expected a result of a batch to be the sum over micro-batches, but loss/reduce_max#0 combines rows}}
    %most = train.reduce_max %z over [0, 1]
    train.return %loss, %most as "most"
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

// Row numbers begin at 0 in every part.
train.model @positions(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 1]) {
    %z = train.linear %x, %w
    %row = train.iota along 0 : f32[batch, 1]
    // expected-error @+1 {{loss/mul#0 combines rows}}
    %weighted = train.mul %z, %row
    %loss = train.mse %weighted, %t
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

// Four constant ones may or may not be the rows of a batch.
train.model @ones(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %t: f32[batch, 1]) {
    %z = train.linear %x, %w
    %l = train.mse %z, %t reduce sum
    %one = train.constant dense<1.0> : tensor<f32>
    %ones = train.broadcast_to %one to [batch]
    // expected-error @+1 {{loss/reduce_sum#0 combines rows}}
    %number = train.reduce_sum %ones over [0]
    %loss = train.div %l, %number
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

// The gradient of a mean of weighted rows depends on the weights of all rows.
train.model @through_totals(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.func @loss(%x: f32[batch, 3], %m: f32[batch, 1]) {
    %z = train.linear %x, %w
    %mz = train.mul %z, %m
    %sum = train.reduce_sum %mz over [0, 1]
    %number = train.reduce_sum %m over [0, 1]
    %mean = train.div %sum, %number
    // expected-error @+1 {{loss/grad#0 combines rows}}
    %slope = train.grad %mean wrt %m
    %square = train.square %slope
    %loss = train.reduce_sum %square over [0, 1]
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

// A buffer that is passed from part to part has another value in every part.
train.model @follows(batch = 4) {
  train.param @w : f32[3, 2] = #train.ones
  train.buffer @center : f32[2] = #train.zeros
  train.func @loss(%x: f32[batch, 3]) {
    %z = train.linear %x, %w
    // expected-error @+1 {{loss/sub#0 combines rows}}
    %d = train.sub %z, %center
    %q = train.square %d
    %loss = train.reduce_mean %q over [0, 1]
    %m = train.reduce_mean %z over [0]
    train.write @center, %m
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

train.model @of_both(batch = 4) {
  train.param @w : f32[3, 1] = #train.ones
  train.buffer @last : f32[] = #train.zeros
  train.func @loss(%x: f32[batch, 3], %m: f32[batch, 1]) {
    %z = train.linear %x, %w
    %mz = train.mul %z, %m
    %sum = train.reduce_sum %mz over [0, 1]
    %number = train.reduce_sum %m over [0, 1]
    // expected-error @+1 {{expected state that a step writes to depend on one micro-batch, but loss/div#0 is also in the loss}}
    %loss = train.div %sum, %number
    train.write @last, %loss
    train.return %loss
  }
  // expected-note @+1 {{in 2 micro-batches here}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// -----

train.model @without_batch {
  train.param @w : f32[3] = #train.ones
  train.func @loss() {
    %q = train.square %w
    %loss = train.reduce_sum %q over [0]
    train.return %loss
  }
  // expected-error @+1 {{expected an input with a batch to cut into 2 micro-batches}}
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1> {micro_batches = 2}
}
