// Two layers and a loss: contractions, a sum that stays in f32, and gradients that need a loss scale in f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @net {
  train.param @w1 : tensor<16x64xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<64xf32> = #train.zeros
  train.param @w2 : tensor<64x8xf32> = #train.kaiming_uniform
  train.func @logits(%x: tensor<32x16xf32>) -> tensor<32x8xf32> {
    %w1 = train.read @w1 : tensor<16x64xf32>
    %b1 = train.read @b1 : tensor<64xf32>
    %w2 = train.read @w2 : tensor<64x8xf32>
    %h = train.linear %x, %w1, %b1 : tensor<32x16xf32>, tensor<16x64xf32>, tensor<64xf32>
    %t = train.tanh %h : tensor<32x64xf32>
    %y = train.matmul %t, %w2 : (tensor<32x64xf32>, tensor<64x8xf32>) -> tensor<32x8xf32>
    train.return %y : tensor<32x8xf32>
  }
  train.func @loss(%x: tensor<32x16xf32>, %label: tensor<32xi32>) -> tensor<f32> {
    %y = train.call @logits(%x) : (tensor<32x16xf32>) -> tensor<32x8xf32>
    %l = train.softmax_cross_entropy %y, %label : tensor<32x8xf32>, tensor<32xi32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @w2] with #train.adamw<lr = 1.0e-3>
  train.export @logits as "predict"
}
