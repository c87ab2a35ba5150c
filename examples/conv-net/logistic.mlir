// Logistic regression on the pixels: what a model without convolutions makes of the same images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @logistic {
  train.param @weight : tensor<1024x4xf32> = #train.zeros
  train.param @bias   : tensor<4xf32>      = #train.zeros

  train.func @scores(%image: tensor<64x32x32x1xf32>) -> tensor<64x4xf32> {
    %weight = train.read @weight : tensor<1024x4xf32>
    %bias = train.read @bias : tensor<4xf32>
    %pixels = train.reshape %image : tensor<64x32x32x1xf32> to tensor<64x1024xf32>
    %scores = train.linear %pixels, %weight, %bias : tensor<64x1024xf32>, tensor<1024x4xf32>, tensor<4xf32>
    train.return %scores : tensor<64x4xf32>
  }
  train.func @loss(%image: tensor<64x32x32x1xf32>, %label: tensor<64xi32>) -> tensor<f32> {
    %scores = train.call @scores(%image) : (tensor<64x32x32x1xf32>) -> tensor<64x4xf32>
    %loss = train.softmax_cross_entropy %scores, %label : tensor<64x4xf32>, tensor<64xi32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@weight, @bias] with #train.adamw<lr = 1.0e-3>
  train.export @scores as "predict"
}
