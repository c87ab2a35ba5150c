// Layers whose packed copies go past the caches, in sizes that are no multiples of a tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @wide_layers(batch = 5) {
  train.param @w0 : f32[1046, 2061] = #train.normal<std = 0.03>
  train.param @w1 : f32[2061, 1030] = #train.normal<std = 0.03>
  train.param @w2 : f32[1030, 2061] = #train.normal<std = 0.03>
  train.func @loss(%x: f32[batch, 1046], %y: f32[batch, 2061]) {
    %0 = train.matmul %x, %w0
    %1 = train.relu %0
    %2 = train.matmul %1, %w1
    %3 = train.relu %2
    %4 = train.matmul %3, %w2
    %l = train.mse %4, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
