// A character-level GPT: normalisation before each part (Radford et al. 2019), learned positions, an output layer of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @char_gpt(batch = 16, context = 128, width = 128, depth = 4, heads = 4, vocabulary = 96, steps = 1200, warmup = 100) {
  train.model @block {
    train.param @norm1.gamma : f32[width] = #train.ones
    train.param @norm1.beta : f32[width] = #train.zeros
    train.param @qkv.weight : f32[width, 3 * width] = #train.normal<std = 0.5 / sqrt(width)>
    train.param @qkv.bias : f32[3 * width] = #train.zeros
    train.param @project.weight : f32[width, width] = #train.normal<std = 0.5 / sqrt(2 * depth * width)>
    train.param @project.bias : f32[width] = #train.zeros
    train.param @norm2.gamma : f32[width] = #train.ones
    train.param @norm2.beta : f32[width] = #train.zeros
    train.param @up.weight : f32[width, 4 * width] = #train.normal<std = 0.5 / sqrt(width)>
    train.param @up.bias : f32[4 * width] = #train.zeros
    train.param @down.weight : f32[4 * width, width] = #train.normal<std = 0.5 / sqrt(2 * depth * width)>
    train.param @down.bias : f32[width] = #train.zeros
    train.func @apply(%x: f32[batch, context, width]) {
      %n1 = train.layer_norm %x, %norm1.gamma, %norm1.beta eps 1.0e-5
      %qkv = train.linear %n1, %qkv.weight, %qkv.bias
      %parts = train.reshape %qkv to [batch, context, 3 * heads, width / heads]
      %q0, %k0, %v0 = train.split %parts into [heads, heads, heads] along 2
      %q = train.transpose %q0 [0, 2, 1, 3]
      %k = train.transpose %k0 [0, 2, 1, 3]
      %v = train.transpose %v0 [0, 2, 1, 3]
      %a = train.attention %q, %k, %v causal
      %a1 = train.transpose %a [0, 2, 1, 3]
      %a2 = train.reshape %a1 to [batch, context, width]
      %a3 = train.linear %a2, %project.weight, %project.bias
      %x1 = train.add %x, %a3
      %n2 = train.layer_norm %x1, %norm2.gamma, %norm2.beta eps 1.0e-5
      %u = train.linear %n2, %up.weight, %up.bias
      %h = train.gelu_tanh %u
      %d = train.linear %h, %down.weight, %down.bias
      %y = train.add %x1, %d
      train.return %y
    }
  }
  train.param @token_embedding : f32[vocabulary, width] = #train.normal<std = 0.5 / sqrt(width)>
  train.param @position_embedding : f32[context, width] = #train.normal<std = 0.5 / sqrt(width)>
  train.use @block times depth
  train.param @norm.gamma : f32[width] = #train.ones
  train.param @norm.beta : f32[width] = #train.zeros
  train.param @output.weight : f32[width, vocabulary] = #train.normal<std = 0.5 / sqrt(width)>
  train.func @logits(%token: i32[batch, context]) {
    %e = train.embedding %token_embedding at %token
    %x = train.add %e, %position_embedding
    %y = train.apply @block(%x)
    %n = train.layer_norm %y, %norm.gamma, %norm.beta eps 1.0e-5
    %scores = train.linear %n, %output.weight
    train.return %scores
  }
  train.func @loss(%token: i32[batch, context], %next: i32[batch, context]) {
    %scores = train.call @logits(%token)
    %loss = train.softmax_cross_entropy %scores, %next ignore -1
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.256 / width, beta2 = 0.99, weight_decay = 0.1>
    schedule #train.cosine<steps = steps, warmup = warmup, floor = 0.05> {clip_norm = 1.0}
  train.export @logits as "predict" batch 1
}
