// A language model of two LSTM layers over `time` rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @lm(batch = 4, time = 35, width = 16, vocabulary = 24) {
  train.param @table : f32[vocabulary, width] = #train.normal<std = 0.1>
  train.param @wx0 : f32[width, 4 * width] = #train.xavier_uniform
  train.param @wh0 : f32[width, 4 * width] = #train.xavier_uniform
  train.param @b0 : f32[4 * width] = #train.zeros
  train.param @wx1 : f32[width, 4 * width] = #train.xavier_uniform
  train.param @wh1 : f32[width, 4 * width] = #train.xavier_uniform
  train.param @b1 : f32[4 * width] = #train.zeros
  train.param @out : f32[width, vocabulary] = #train.xavier_uniform
  train.func @loss(%token: i32[time, batch], %next: i32[time, batch]) {
    %x = train.embedding %table at %token
    %y, %h0, %c0 = train.lstm %x, %wx0, %wh0, %b0
    %z, %h1, %c1 = train.lstm %y, %wx1, %wh1, %b1
    %scores = train.linear %z, %out
    %loss = train.softmax_cross_entropy %scores, %next
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 1.0> {clip_norm = 5.0}
}
