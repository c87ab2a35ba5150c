// A step makes w 2^40 + 1 times as large: the square of the third is beyond f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @growth {
  train.param @w : tensor<4xf32> = #train.ones
  train.func @loss(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4xf32>
    %half = train.constant dense<-0.5> : tensor<f32>
    %s = train.square %w : tensor<4xf32>
    %t = train.mul %s, %half : tensor<4xf32>, tensor<f32>
    %l = train.reduce_sum %t over [0] : tensor<4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 1099511627776.0>
}
