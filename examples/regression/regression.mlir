// A plane through points: y = x w + b, by least squares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @regression {
  train.param @w : tensor<2x1xf32> = #train.zeros
  train.param @b : tensor<1xf32>   = #train.zeros

  train.func @line(%x: tensor<32x2xf32>) -> tensor<32x1xf32> {
    %w = train.read @w : tensor<2x1xf32>
    %b = train.read @b : tensor<1xf32>
    %y = train.linear %x, %w, %b : tensor<32x2xf32>, tensor<2x1xf32>, tensor<1xf32>
    train.return %y : tensor<32x1xf32>
  }
  train.func @loss(%x: tensor<32x2xf32>, %y: tensor<32x1xf32>) -> tensor<f32> {
    %guess = train.call @line(%x) : (tensor<32x2xf32>) -> tensor<32x1xf32>
    %loss = train.mse %guess, %y : tensor<32x1xf32>, tensor<32x1xf32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.1>
  train.export @line as "predict"
}
