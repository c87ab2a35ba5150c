// A small language model: the embedding is also the last layer, and no size is a multiple of a tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @words(batch = 4, context = 24, width = 21, vocabulary = 253) {
  train.param @embedding : f32[vocabulary, width] = #train.normal<std = 0.3>
  train.param @hidden.weight : f32[width, width] = #train.normal<std = 0.3>
  train.param @bias : f32[vocabulary] = #train.zeros
  train.func @loss(%token: i32[batch, context], %next: i32[batch, context]) {
    %e = train.embedding %embedding at %token
    %h = train.linear %e, %hidden.weight
    %w = train.transpose %embedding [1, 0]
    %scores = train.linear %h, %w, %bias
    %loss = train.softmax_cross_entropy %scores, %next ignore 3 smoothing 0.1
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 5.0e-1, momentum = 0.9>
}
