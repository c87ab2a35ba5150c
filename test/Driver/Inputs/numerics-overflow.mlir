// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @overflow {
  train.param @w1 : tensor<4x16xf32> = #train.ones
  train.param @w2 : tensor<16x4xf32> = #train.fill<1.0e-6>
  train.func @loss(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<4x16xf32>
    %w2 = train.read @w2 : tensor<16x4xf32>
    %h = train.matmul %x, %w1 : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %r = train.relu %h : tensor<8x16xf32>
    %p = train.matmul %r, %w2 : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %l = train.mse %p, %y : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.sgd<lr = 1.0e-9>
}
