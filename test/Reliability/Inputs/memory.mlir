// Odd sizes everywhere: rows, columns and labels end in the middle of a vector.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @memory(batch = 5) {
  train.param @table : tensor<11x7xf32> = #train.normal<std = 0.5>
  train.param @w : tensor<7x13xf32> = #train.kaiming_normal
  train.param @b : tensor<13xf32> = #train.zeros
  train.func @scores(%x: f32[batch, 7], %word: i32[batch]) {
    %e = train.embedding %table at %word
    %s = train.add %x, %e
    %h = train.linear %s, %w, %b
    train.return %h
  }
  train.func @loss(%x: f32[batch, 7], %word: i32[batch], %kind: i32[batch]) {
    %s = train.call @scores(%x, %word)
    %loss = train.softmax_cross_entropy %s, %kind
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adam<lr = 0.01>
  train.export @scores as "predict"
}
