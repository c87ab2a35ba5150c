// A small regression.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @plane {
  train.param @w : tensor<8x16xf32> = #train.kaiming_uniform
  train.param @v : tensor<16x1xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<32x8xf32>, %y: tensor<32x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x16xf32>
    %v = train.read @v : tensor<16x1xf32>
    %0 = train.linear %x, %w : tensor<32x8xf32>, tensor<8x16xf32>
    %1 = train.gelu_tanh %0 : tensor<32x16xf32>
    %2 = train.linear %1, %v : tensor<32x16xf32>, tensor<16x1xf32>
    %3 = train.mse %2, %y : tensor<32x1xf32>, tensor<32x1xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @v] with #train.adamw<lr = 0.01>
}
