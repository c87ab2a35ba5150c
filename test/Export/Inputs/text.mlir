// Indices, causal attention, and a table that is read twice: by rows, and transposed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @text(batch = 2, length = 5, width = 8) {
  train.param @table : f32[11, width] = #train.normal<std = 0.1>
  train.param @gamma : f32[width] = #train.ones
  train.param @beta : f32[width] = #train.zeros
  train.param @qkv : f32[width, 3 * width] = #train.xavier_uniform
  train.func @heads(%x: f32[batch, length, width]) {
    %h = train.reshape %x to [batch, length, 2, width / 2]
    %t = train.transpose %h [0, 2, 1, 3]
    train.return %t
  }
  train.func @scores(%token: i32[batch, length]) {
    %e = train.embedding %table at %token
    %n = train.layer_norm %e, %gamma, %beta eps 1.0e-5
    %p = train.linear %n, %qkv
    %q, %k, %v = train.split %p into [width, width, width] along 2
    %qh = train.call @heads(%q)
    %kh = train.call @heads(%k)
    %vh = train.call @heads(%v)
    %a = train.attention %qh, %kh, %vh causal
    %b = train.transpose %a [0, 2, 1, 3]
    %c = train.reshape %b to [batch, length, width]
    %d = train.gelu_tanh %c
    %r = train.rms_norm %d, %gamma eps 1.0e-6
    %last = train.slice %r from [0, length - 1, 0] sizes [batch, 1, width] strides [1, 1, 1]
    %f = train.reshape %last to [batch, width]
    %y = train.matmul %f, %table transpose_rhs
    %best = train.argmax %y
    train.return %y, %best
  }
  train.export @scores as "predict"
}
