// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @exponents {
  train.param @w : tensor<8x8xf32> = #train.ones
  train.func @loss(%x: tensor<8x8xf32>, %t: tensor<8x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x8xf32>
    %p = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = train.mul %p, %t : tensor<8x8xf32>, tensor<8x8xf32>
    %l = train.reduce_mean %q over [0, 1] : tensor<8x8xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.0>
}
