// Everything that a checkpoint must not change: random numbers, running statistics, types of regions, state that functions share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @deep(batch = 48, size = 6, width = 24, depth = 4, parts = 1) {
  train.model @layer {
    train.param @gamma : f32[width] = #train.ones
    train.param @beta : f32[width] = #train.zeros
    train.buffer @mean : f32[width] = #train.zeros
    train.buffer @variance : f32[width] = #train.ones
    train.param @up : f32[width, 4 * width] = #train.kaiming_uniform
    train.param @down : f32[4 * width, width] = #train.kaiming_uniform
    train.func @apply(%x: f32[batch, width]) {
      %n = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-5
      %u = train.matmul %n, %up
      %h = train.gelu_tanh %u
      %k = train.dropout %h rate 0.25
      %d = amp.autocast bf16 {
        %p = train.matmul %k, %down
        amp.yield %p
      }
      %y = train.add %x, %d
      train.return %y
    }
  }
  train.param @input : f32[size * size, width] = #train.kaiming_uniform
  train.param @output : f32[width, 4] = #train.kaiming_uniform
  train.use @layer times depth
  train.func @head(%x: f32[batch, width]) {
    %e = train.softmax %x
    %t = train.tanh %e
    %y = train.matmul %t, %output
    train.return %y
  }
  train.func @loss(%image: f32[batch, size, size, 1], %label: i32[batch]) {
    %i = train.reshape %image to [batch, size * size]
    %x = train.matmul %i, %input
    %y = train.apply @layer(%x) checkpoint
    %s = train.call @head(%y) checkpoint
    %l = train.softmax_cross_entropy %s, %label
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3> {clip_norm = 1.0}
}
