// Gradients whose first loss scale of 65536 overflows f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @high {
  train.param @w1 : tensor<8x16xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<16x4xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<8x8xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<8x16xf32>
    %w2 = train.read @w2 : tensor<16x4xf32>
    %0 = train.matmul %x, %w1 : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = train.tanh %0 : tensor<8x16xf32>
    %p = train.matmul %1, %w2 : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %d = train.sub %p, %y : tensor<8x4xf32>, tensor<8x4xf32>
    %s = train.square %d : tensor<8x4xf32>
    %l = train.reduce_sum %s over [0, 1] : tensor<8x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.sgd<lr = 0.001>
}
