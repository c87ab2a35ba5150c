// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both functions; a cell of a loop.
train.model @check(batch = 3, in = 4, width = 5) {
  train.param @x : f32[batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, width] = #train.xavier_uniform
  train.param @wh : f32[width, width] = #train.xavier_uniform
  train.param @b : f32[width] = #train.normal<std = 0.5>
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.func @loss(%weight: f32[batch, width]) {
    %h = train.scan carry %k = %h0 times 2 {
      %k1 = train.rnn_cell %x, %wx, %wh, %b from %k
      train.next %k1
    }
    %c = train.rnn_cell %h, %wh, %wh from %h0 activation relu
    %m = train.mul %c, %weight
    %s0 = train.reduce_sum %m over [0, 1]
    train.return %s0
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @h0] with #train.sgd<lr = 0.1>
}
