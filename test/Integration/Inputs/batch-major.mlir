// Characters one after the other: every tensor begins with the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @sequence(batch = 4, time = 3, width = 8, vocabulary = 96) {
  train.param @table : f32[vocabulary, width] = #train.normal<std = 1 / sqrt(width)>
  train.param @in : f32[width, width] = #train.xavier_uniform
  train.param @own : f32[width, width] = #train.xavier_uniform
  train.param @last : f32[width, vocabulary] = #train.xavier_uniform
  train.func @scores(%token: i32[batch, time]) {
    %e = train.embedding %table at %token
    %u = train.linear %e, %in
    %u0 = train.slice %u from [0, 0, 0] sizes [batch, 1, width] strides [1, 1, 1]
    %u1 = train.slice %u from [0, 1, 0] sizes [batch, 1, width] strides [1, 1, 1]
    %u2 = train.slice %u from [0, 2, 0] sizes [batch, 1, width] strides [1, 1, 1]
    %h0 = train.tanh %u0
    %r1 = train.linear %h0, %own
    %s1 = train.add %u1, %r1
    %h1 = train.tanh %s1
    %r2 = train.linear %h1, %own
    %s2 = train.add %u2, %r2
    %h2 = train.tanh %s2
    %h = train.concat %h0, %h1, %h2 along 1
    %y = train.linear %h, %last
    train.return %y
  }
  train.func @loss(%token: i32[batch, time], %next: i32[batch, time]) {
    %y = train.call @scores(%token)
    %l = train.softmax_cross_entropy %y, %next
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-2>
  train.export @scores as "predict"
}
