// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lengths of 0, some and all rows; both functions; both directions; the batch in front of the rounds.
train.model @check(batch = 3, time = 4, in = 3, width = 5) {
  train.param @x : f32[time, batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, width] = #train.xavier_uniform
  train.param @wh : f32[width, width] = #train.xavier_uniform
  train.param @b : f32[width] = #train.normal<std = 0.5>
  train.param @wy : f32[width, width] = #train.xavier_uniform
  train.param @wz : f32[width, width] = #train.xavier_uniform
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.func @loss(%weight: f32[batch, time, width]) {
    %n = train.constant dense<[2, 0, 4]> : tensor<3xi32>
    %a, %ah = train.rnn %x, %wx, %wh, %b from %h0 lengths %n
    %at = train.transpose %a [1, 0, 2]
    %c, %ch = train.rnn %at, %wy, %wz lengths %n activation relu reverse batch_first
    %m = train.mul %c, %weight
    %s0 = train.reduce_sum %m over [0, 1, 2]
    %s1 = train.reduce_sum %ah over [0, 1]
    %s2 = train.reduce_sum %ch over [0, 1]
    %t0 = train.add %s0, %s1
    %t1 = train.add %t0, %s2
    train.return %t1
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @wy, @wz, @h0] with #train.sgd<lr = 0.1>
}
