// A perceptron with labels that do not count, dropout and clipping. NAME and PARTS are replaced.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @NAME(batch = 4) {
  train.param @w1 : f32[32, 64] = #train.kaiming_uniform
  train.param @b1 : f32[64] = #train.zeros
  train.param @w2 : f32[64, 10] = #train.xavier_uniform
  train.param @b2 : f32[10] = #train.zeros
  train.func @loss(%x: f32[batch, 32], %label: i32[batch]) {
    %a = train.linear %x, %w1, %b1
    %b = train.relu %a
    %c = train.dropout %b rate 0.25
    %d = train.linear %c, %w2, %b2
    %l = train.softmax_cross_entropy %d, %label ignore -1
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1e-2> {clip_norm = 0.5, micro_batches = PARTS}
}
