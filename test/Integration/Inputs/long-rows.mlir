// Rows of 501 numbers, which copies of 16 bytes do not start: scores of a loss, and of a softmax between two products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @long_rows(width = 64, words = 501) {
  train.param @w : f32[width, words] = #train.xavier_uniform
  train.param @b : f32[words] = #train.zeros
  train.param @e : f32[words, width] = #train.normal<std = 0.1>
  train.func @loss(%x: tensor<64x64xf32>, %label: tensor<64xi32>) {
    %h = train.gelu_tanh %x
    %s = train.linear %h, %w, %b
    %p = train.softmax %s
    %y = train.linear %p, %e
    %t = train.transpose %e [1, 0]
    %q = train.linear %y, %t, %b
    %loss = train.softmax_cross_entropy %q, %label
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-3> {clip_norm = 1.0}
}
