// State that rows change: running statistics of batch norm, the last sum of logits, a number of batches. NAME and PARTS are replaced.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @NAME(batch = 4) {
  train.param @w1 : f32[32, 64] = #train.kaiming_uniform
  train.param @gamma : f32[64] = #train.ones
  train.param @beta : f32[64] = #train.zeros
  train.buffer @mean : f32[64] = #train.zeros
  train.buffer @variance : f32[64] = #train.ones
  train.buffer @last : f32[10] = #train.zeros
  train.param @w2 : f32[64, 10] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, 32], %label: i32[batch]) {
    %a = train.linear %x, %w1
    %n = train.batch_norm %a, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
    %b = train.relu %n
    %c = train.dropout %b rate 0.1
    %d = train.linear %c, %w2
    %s = train.reduce_sum %d over [0]
    train.write @last, %s
    %l = train.softmax_cross_entropy %d, %label ignore -1
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1e-2> {clip_norm = 0.5, micro_batches = PARTS}
}
