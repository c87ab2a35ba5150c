// Losses in loops, with labels, ignored labels and masks of the round, of batches that may be short.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers below: y 4, c 4.
train.model @losses(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.param @u : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width], %y: i32[time, batch], %c: i32[batch]) {
    %zero = train.constant dense<0.0> : tensor<f32>
    %h0 = train.broadcast_to %zero to [batch, width]
    %h, %sum, %each = train.scan carry %a = %h0, %s = %zero over %r = %x, %label = %y {
      %m = train.matmul %a, %w
      %p = train.add %m, %r
      %n = train.tanh %p
      %logits = train.matmul %n, %u
      %ce = train.softmax_cross_entropy %logits, %label ignore -1
      %same = train.softmax_cross_entropy %logits, %c
      %near = train.mse %n, %r
      %l0 = train.add %ce, %same
      %l1 = train.add %l0, %near
      %s1 = train.add %s, %l1
      train.next %n, %s1 each %near
    }
    %more = train.reduce_sum %each over [0]
    %last = train.softmax_cross_entropy %h, %c
    %l2 = train.add %sum, %more
    %l = train.add %l2, %last
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01>
}
