// A table of rows, a norm, an average of the parameters and a schedule, without clipping: updates begin before the last exchange ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @NAME(batch = 4) {
  train.param @table : f32[50, 32] = #train.normal<std = 0.5>
  train.param @gamma : f32[32] = #train.ones
  train.param @beta : f32[32] = #train.zeros
  train.param @w1 : f32[32, 64] = #train.kaiming_uniform
  train.param @w2 : f32[64, 10] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, 32], %label: i32[batch]) {
    %e = train.gather %table at %label
    %h = train.add %x, %e
    %n = train.layer_norm %h, %gamma, %beta eps 1e-5
    %a = train.linear %n, %w1
    %b = train.gelu %a
    %c = train.dropout %b rate 0.1
    %d = train.linear %c, %w2
    %l = train.softmax_cross_entropy %d, %label
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adam<lr = 1e-2>
      schedule #train.cosine<steps = 40, warmup = 4, floor = 0.05> {ema_decay = 0.9, micro_batches = PARTS}
}
