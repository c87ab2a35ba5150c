// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @logarithm {
  train.param @w : tensor<4x4xf32> = #train.ones
  train.func @loss(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x4xf32>
    %h = train.matmul %x, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %p = train.log %h : tensor<8x4xf32>
    %l = train.mse %p, %y : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.01>
}
