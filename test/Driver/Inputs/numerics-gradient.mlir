// From zeros the loss is 0, while the gradient of w, 8 * 3e38, is beyond f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @gradient {
  train.param @w : tensor<4x4xf32> = #train.zeros
  train.func @loss(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x4xf32>
    %large = train.constant dense<3.0e38> : tensor<f32>
    %h = train.matmul %x, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    %p = train.mul %h, %large : tensor<8x4xf32>, tensor<f32>
    %l = train.reduce_sum %p over [0, 1] : tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.01>
}
