// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @levels {
  train.param @w : tensor<8x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<8x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x8xf32>
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = train.softmax %0 : tensor<8x8xf32>
    %2 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = train.reduce_sum %2 over [0, 1] : tensor<8x8xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
