// A perceptron whose loss has a knob as factor, and whose drop rate is a knob. NAME and PARTS are replaced.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @NAME(batch = 4) {
  train.knob @scale = 1.0 in [0, 2]
  train.knob @drop = 0.25 in [0, 0.5]
  train.param @w1 : f32[32, 64] = #train.kaiming_uniform
  train.param @b1 : f32[64] = #train.zeros
  train.param @w2 : f32[64, 10] = #train.xavier_uniform
  train.param @b2 : f32[10] = #train.zeros
  train.func @loss(%x: f32[batch, 32], %label: i32[batch]) {
    %a = train.linear %x, %w1, %b1
    %b = train.relu %a
    %c = train.dropout %b rate @drop
    %d = train.linear %c, %w2, %b2
    %l = train.softmax_cross_entropy %d, %label ignore -1
    %m = train.mul %l, @scale
    train.return %m
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1e-2> {clip_norm = 0.5, micro_batches = PARTS}
}
