// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With and without projection and peepholes, two orders of gates; a cell of a loop.
train.model @check(batch = 3, in = 4, width = 5) {
  train.param @x : f32[batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, 4 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 4 * width] = #train.xavier_uniform
  train.param @b : f32[4 * width] = #train.normal<std = 0.5>
  train.param @wp : f32[width, width] = #train.xavier_uniform
  train.param @p : f32[3 * width] = #train.normal<std = 0.5>
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.param @c0 : f32[batch, width] = #train.normal<std = 1.0>
  train.func @loss(%weight: f32[batch, width]) {
    %h, %c = train.scan carry %k = %h0, %l = %c0 times 2 {
      %k1, %l1 = train.lstm_cell %x, %wx, %wh, %b from %k, %l
      train.next %k1, %l1
    }
    %d, %e = train.lstm_cell %x, %wx, %wh from %h, %c project %wp peepholes %p gates "iofg"
    %m = train.mul %d, %weight
    %s0 = train.reduce_sum %m over [0, 1]
    %s1 = train.reduce_sum %e over [0, 1]
    %t0 = train.add %s0, %s1
    train.return %t0
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @wp, @p, @h0, @c0] with #train.sgd<lr = 0.1>
}
