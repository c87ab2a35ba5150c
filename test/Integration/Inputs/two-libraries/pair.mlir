// A fit whose numbers depend on the precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @pair {
  train.param @w : tensor<4x16xf32> = #train.kaiming_uniform
  train.param @v : tensor<16x4xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<8x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x16xf32>
    %v = train.read @v : tensor<16x4xf32>
    %0 = train.linear %x, %w : tensor<8x4xf32>, tensor<4x16xf32>
    %1 = train.tanh %0 : tensor<8x16xf32>
    %2 = train.linear %1, %v : tensor<8x16xf32>, tensor<16x4xf32>
    %3 = train.mse %2, %x : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @v] with #train.sgd<lr = 0.1>
}
