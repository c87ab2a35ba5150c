// Two layers whose weights are the right sides of products, in both orders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @layers {
  train.param @w1 : tensor<49x70xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<70xf32> = #train.zeros
  train.param @w2 : tensor<70x33xf32> = #train.kaiming_uniform
  train.param @b2 : tensor<33xf32> = #train.zeros
  train.param @w3 : tensor<33x4xf32> = #train.kaiming_uniform
  train.param @b3 : tensor<4xf32> = #train.zeros

  train.func @logits(%image: tensor<12x7x7x1xf32>) -> tensor<12x4xf32> {
    %x = train.reshape %image : tensor<12x7x7x1xf32> to tensor<12x49xf32>
    %w1 = train.read @w1 : tensor<49x70xf32>
    %b1 = train.read @b1 : tensor<70xf32>
    %0 = train.linear %x, %w1, %b1 : tensor<12x49xf32>, tensor<49x70xf32>, tensor<70xf32>
    %1 = train.gelu %0 : tensor<12x70xf32>
    %w2 = train.read @w2 : tensor<70x33xf32>
    %b2 = train.read @b2 : tensor<33xf32>
    %2 = train.linear %1, %w2, %b2 : tensor<12x70xf32>, tensor<70x33xf32>, tensor<33xf32>
    %3 = train.gelu %2 : tensor<12x33xf32>
    %w3 = train.read @w3 : tensor<33x4xf32>
    %b3 = train.read @b3 : tensor<4xf32>
    %4 = train.linear %3, %w3, %b3 : tensor<12x33xf32>, tensor<33x4xf32>, tensor<4xf32>
    train.return %4 : tensor<12x4xf32>
  }
  train.func @loss(%image: tensor<12x7x7x1xf32>, %label: tensor<12xi32>) -> tensor<f32> {
    %logits = train.call @logits(%image) : (tensor<12x7x7x1xf32>) -> tensor<12x4xf32>
    %loss = train.softmax_cross_entropy %logits, %label : tensor<12x4xf32>, tensor<12xi32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @w2, @b2, @w3, @b3] with #train.adamw<lr = 0.01>
  train.export @logits as "predict"
}
