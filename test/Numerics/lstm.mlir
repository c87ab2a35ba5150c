// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lengths of 0, some and all rows, both directions, projection, peepholes, another order of gates, the batch in front of the rounds.
train.model @check(batch = 3, time = 4, in = 3, width = 5, states = 2) {
  train.param @x : f32[time, batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, 4 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 4 * width] = #train.xavier_uniform
  train.param @b : f32[4 * width] = #train.normal<std = 0.5>
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.param @c0 : f32[batch, width] = #train.normal<std = 1.0>
  train.param @wy : f32[width, 4 * width] = #train.xavier_uniform
  train.param @wp : f32[width, states] = #train.xavier_uniform
  train.param @wr : f32[states, 4 * width] = #train.xavier_uniform
  train.param @p : f32[3 * width] = #train.normal<std = 0.5>
  train.func @loss(%weight: f32[batch, time, states]) {
    %n = train.constant dense<[2, 0, 4]> : tensor<3xi32>
    %a, %ah, %ac = train.lstm %x, %wx, %wh, %b from %h0, %c0 lengths %n
    %at = train.transpose %a [1, 0, 2]
    %d, %dh, %dc = train.lstm %at, %wy, %wr lengths %n project %wp peepholes %p gates "oigf" reverse batch_first
    %m = train.mul %d, %weight
    %s0 = train.reduce_sum %m over [0, 1, 2]
    %s1 = train.reduce_sum %ah over [0, 1]
    %s2 = train.reduce_sum %ac over [0, 1]
    %s3 = train.reduce_sum %dh over [0, 1]
    %s4 = train.reduce_sum %dc over [0, 1]
    %t0 = train.add %s0, %s1
    %t1 = train.add %t0, %s2
    %t2 = train.add %t1, %s3
    %t3 = train.add %t2, %s4
    train.return %t3
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @h0, @c0, @wy, @wp, @wr, @p] with #train.sgd<lr = 0.1>
}
