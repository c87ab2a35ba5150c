// A language model whose states are buffers per row of the batch. PASSED becomes an attribute of the buffers in the test, STEP the attributes of the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @lm(batch = 4, time = 4, width = 5, vocabulary = 7) {
  train.param @table : f64[vocabulary, width] = #train.zeros
  train.param @wx : f64[width, 4 * width] = #train.zeros
  train.param @wh : f64[width, 4 * width] = #train.zeros
  train.param @b : f64[4 * width] = #train.zeros
  train.param @out : f64[width, vocabulary] = #train.zeros
  train.buffer @h : f64[batch, width] = #train.zeros PASSED
  train.buffer @c : f64[batch, width] = #train.zeros PASSED
  train.func @states(%token: i32[time, batch], %start: i1[batch]) {
    %x = train.embedding %table at %token
    %number = train.constant dense<0.0> : tensor<f64>
    %zero = train.broadcast_to %number to [batch, width]
    %first = train.reshape %start to [batch, 1]
    %hs = train.stop_gradient %h
    %cs = train.stop_gradient %c
    %h0 = train.select %first, %zero, %hs
    %c0 = train.select %first, %zero, %cs
    %y, %h1, %c1 = train.lstm %x, %wx, %wh, %b from %h0, %c0
    train.write @h, %h1
    train.write @c, %c1
    train.return %y
  }
  train.func @scores(%token: i32[time, batch], %start: i1[batch]) {
    %y = train.call @states(%token, %start)
    %scores = train.linear %y, %out
    train.return %scores
  }
  train.func @loss(%token: i32[time, batch], %start: i1[batch], %next: i32[time, batch]) {
    %scores = train.call @scores(%token, %start)
    %loss = train.softmax_cross_entropy %scores, %next
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.5> STEP
  train.export @scores as "predict"
  train.export @scores as "one" batch 1
}
