// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @two_linear {
  amp.scaler @scale = #amp.scaling<SCALING>
  train.param @w1 : tensor<8x8xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<8xf32> = #train.zeros
  train.param @w2 : tensor<8x8xf32> = #train.kaiming_uniform
  train.param @b2 : tensor<8xf32> = #train.zeros
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<8x8xf32>
    %b1 = train.read @b1 : tensor<8xf32>
    %w2 = train.read @w2 : tensor<8x8xf32>
    %b2 = train.read @b2 : tensor<8xf32>
    %0 = train.linear %x, %w1, %b1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
    %1 = train.linear %0, %w2, %b2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
    %2 = train.mse %1, %y reduce mean : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @w2, @b2] with #train.sgd<lr = 0.1> {amp.scaler = @scale}
}
