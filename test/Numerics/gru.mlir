// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both resets, both directions, both orders of gates; lengths of 0, some and all rows; the batch in front of the rounds.
train.model @check(batch = 3, time = 4, in = 3, width = 5) {
  train.param @x : f32[time, batch, in] = #train.normal<std = 1.0>
  train.param @wx : f32[in, 3 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 3 * width] = #train.xavier_uniform
  train.param @b : f32[3 * width] = #train.normal<std = 0.5>
  train.param @bh : f32[3 * width] = #train.normal<std = 0.5>
  train.param @wy : f32[width, 3 * width] = #train.xavier_uniform
  train.param @h0 : f32[batch, width] = #train.normal<std = 1.0>
  train.func @loss(%weight: f32[batch, time, width]) {
    %n = train.constant dense<[2, 0, 4]> : tensor<3xi32>
    %a, %ah = train.gru %x, %wx, %wh, %b, %bh from %h0 lengths %n reset_after
    %at = train.transpose %a [1, 0, 2]
    %c, %ch = train.gru %at, %wy, %wh, %b, %bh lengths %n gates "zrn" reverse batch_first
    %m = train.mul %c, %weight
    %s0 = train.reduce_sum %m over [0, 1, 2]
    %s1 = train.reduce_sum %ah over [0, 1]
    %s2 = train.reduce_sum %ch over [0, 1]
    %t0 = train.add %s0, %s1
    %t1 = train.add %t0, %s2
    train.return %t1
  }
  train.step @all minimize @loss over [@x, @wx, @wh, @b, @bh, @wy, @h0] with #train.sgd<lr = 0.1>
}
