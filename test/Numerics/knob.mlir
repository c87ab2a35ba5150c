// Gradients of a step whose loss, drop rate and rule read knobs, by finite differences.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m(batch = 4) {
  train.knob @gain = 1.5 in [0, 10]
  train.knob @shift : f64[] = -0.25 in [-1, 1]
  train.knob @rate = 0.1 in [0, 1]
  train.knob @drop = 0.25 in [0, 0.5]
  train.param @w : f32[3, 5] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, 3], %y: f32[batch, 5]) {
    %d = train.dropout %x rate @drop
    %s = train.matmul %d, %w
    %t = train.mul %s, @gain
    %u = train.tanh %t
    %v = train.sub @shift, %u
    %l = train.mse %v, %y
    train.return %l
  }
  // The derivative with respect to a knob as a loss.
  train.func @slope(%x: f32[batch, 3]) {
    %s = train.matmul %x, %w
    %t = train.mul %s, %gain
    %u = train.tanh %t
    %sum = train.reduce_sum %u over [0, 1]
    %g = train.grad %sum wrt %gain
    %l = train.mul %g, %g
    train.return %l
  }
  train.step @flatten minimize @slope over all with #train.sgd<lr = 0.1>
  train.step @fit minimize @loss over all with #train.sgd<lr = @rate>
}
