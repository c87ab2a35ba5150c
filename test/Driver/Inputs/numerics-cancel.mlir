// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @cancel {
  train.param @w1 : tensor<8x16xf32> = #train.fill<0.25>
  train.param @w2 : tensor<16x4xf32> = #train.fill<0.125>
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<8x16xf32>
    %w2 = train.read @w2 : tensor<16x4xf32>
    %c = train.constant dense<256.0> : tensor<f32>
    %h = train.matmul %x, %w1 : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %big = train.add %h, %c : tensor<8x16xf32>, tensor<f32>
    %small = train.sub %big, %c : tensor<8x16xf32>, tensor<f32>
    %p = train.matmul %small, %w2 : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %l = train.mse %p, %y : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.sgd<lr = 0.01>
}
