// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence of 35 rounds.
train.model @rounds(batch = 16, time = 35, width = 64) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.param @u : f32[width, width] = #train.xavier_uniform
  train.param @b : f32[width] = #train.zeros
  train.func @loss(%xb: f32[batch, time, width], %h0: f32[batch, width]) {
    %xs = train.transpose %xb [1, 0, 2]
    %last, %all = train.scan carry %h = %h0 over %x = %xs {
      %p = train.linear %x, %w, %b
      %d = train.matmul %h, %u
      %s = train.add %p, %d
      %t = train.tanh %s
      %q = train.sin %t
      %v = train.mul %q, %t
      train.next %v each %v
    }
    %sq = train.square %all
    %l = train.reduce_mean %sq over [0, 1, 2]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
