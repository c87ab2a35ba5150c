// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both resets and orders of gates; a cell of a loop.
train.model @check(batch = 3, in = 4, width = 5) {
  train.param @x : f32[batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, 3 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 3 * width] = #train.xavier_uniform
  train.param @b : f32[3 * width] = #train.normal<std = 0.5>
  train.param @bh : f32[3 * width] = #train.normal<std = 0.5>
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.func @loss(%weight: f32[batch, width]) {
    %h = train.scan carry %k = %h0 times 2 {
      %k1 = train.gru_cell %x, %wx, %wh, %b from %k
      train.next %k1
    }
    %c = train.gru_cell %x, %wx, %wh, %b, %bh from %h reset_after gates "zrn"
    %m = train.mul %c, %weight
    %s0 = train.reduce_sum %m over [0, 1]
    train.return %s0
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @bh, @h0] with #train.sgd<lr = 0.1>
}
