// Which of four kinds is a sequence of tokens? Attention in blocks, the mean over the sequence, and scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @transformer(batch = 32, length = 16, vocabulary = 20, width = 32, heads = 4, depth = 2, kinds = 4) {
  train.model @block {
    train.param @norm1.gamma : f32[width] = #train.ones
    train.param @norm1.beta : f32[width] = #train.zeros
    train.param @qkv : f32[width, 3 * width] = #train.xavier_uniform
    train.param @project : f32[width, width] = #train.xavier_uniform
    train.param @norm2.gamma : f32[width] = #train.ones
    train.param @norm2.beta : f32[width] = #train.zeros
    train.param @up : f32[width, 2 * width] = #train.xavier_uniform
    train.param @down : f32[2 * width, width] = #train.xavier_uniform
    train.func @apply(%x: f32[batch, length, width]) {
      %n1 = train.layer_norm %x, %norm1.gamma, %norm1.beta eps 1e-5
      %all = train.linear %n1, %qkv
      %parts = train.reshape %all to [batch, length, 3 * heads, width / heads]
      %turned = train.transpose %parts [0, 2, 1, 3]
      %q, %k, %v = train.split %turned into [heads, heads, heads] along 1
      %a = train.attention %q, %k, %v
      %back = train.transpose %a [0, 2, 1, 3]
      %joined = train.reshape %back to [batch, length, width]
      %p = train.linear %joined, %project
      %x1 = train.add %x, %p
      %n2 = train.layer_norm %x1, %norm2.gamma, %norm2.beta eps 1e-5
      %u = train.linear %n2, %up
      %g = train.gelu %u
      %d = train.linear %g, %down
      %y = train.add %x1, %d
      train.return %y
    }
  }
  train.param @tokens : f32[vocabulary, width] = #train.normal<std = 0.1>
  train.param @places : f32[length, width] = #train.normal<std = 0.1>
  train.use @block times depth
  train.param @output.weight : f32[width, kinds] = #train.xavier_uniform
  train.param @output.bias : f32[kinds] = #train.zeros
  train.func @scores(%token: i32[batch, length]) {
    %e = train.embedding %tokens at %token
    %x = train.add %e, %places
    %y = train.apply @block(%x)
    %m = train.reduce_mean %y over [1]
    %s = train.linear %m, %output.weight, %output.bias
    train.return %s
  }
  train.func @loss(%token: i32[batch, length], %kind: i32[batch]) {
    %s = train.call @scores(%token)
    %l = train.softmax_cross_entropy %s, %kind
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 2e-3>
    schedule #train.cosine<steps = 400, warmup = 20, floor = 0.05> {clip_norm = 1}
  train.export @scores as "predict"
}
