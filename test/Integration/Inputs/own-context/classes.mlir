// A small classifier, with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @classes {
  train.param @w : tensor<8x5xf32> = #train.kaiming_uniform
  train.func @logits(%x: tensor<32x8xf32>) -> tensor<32x5xf32> {
    %w = train.read @w : tensor<8x5xf32>
    %0 = train.linear %x, %w : tensor<32x8xf32>, tensor<8x5xf32>
    train.return %0 : tensor<32x5xf32>
  }
  train.func @loss(%x: tensor<32x8xf32>, %label: tensor<32xi32>) -> tensor<f32> {
    %0 = train.call @logits(%x) : (tensor<32x8xf32>) -> tensor<32x5xf32>
    %1 = train.softmax_cross_entropy %0, %label : tensor<32x5xf32>, tensor<32xi32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.5, momentum = 0.9>
  train.export @logits as "predict"
}
