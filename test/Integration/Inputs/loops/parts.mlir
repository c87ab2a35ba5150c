// Micro-batches with loops: sums of losses over rows that a loop carries, means over rows in each round, random numbers, a penalty in each round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers below: y 4.
train.model @parts(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width], %y: i32[time, batch]) {
    %zero = train.constant dense<0.0> : tensor<f32>
    %start = train.constant dense<1.5> : tensor<f32>
    %h0 = train.broadcast_to %zero to [batch, width]
    %h, %sum, %ns = train.scan carry %a = %h0, %s = %start over %r = %x, %label = %y {
      %d = train.dropout %a rate 0.3
      %m = train.matmul %d, %w
      %p = train.add %m, %r
      %n = train.tanh %p
      %logits = train.matmul %n, %u
      %ce = train.softmax_cross_entropy %logits, %label
      %near = train.mse %n, %r
      %w2 = train.square %w
      %penalty = train.reduce_sum %w2 over [0, 1]
      %l0 = train.add %ce, %near
      %l1 = train.add %l0, %penalty
      %s1 = train.add %s, %l1
      train.next %n, %s1 each %n
    }
    %out = train.matmul %h, %u
    %out2 = train.square %out
    %q = train.reduce_mean %out2 over [0, 1]
    %hs = train.square %ns
    %q1 = train.reduce_mean %hs over [0, 1, 2]
    %l2 = train.add %sum, %q
    %l = train.add %l2, %q1
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01> {micro_batches = 3}
}
