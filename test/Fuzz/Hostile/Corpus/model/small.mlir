// Two layers with names and a loss: what policies and profiles are tried on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @small {
  train.param @w1 : tensor<4x6xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<6x3xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<8x4xf32>, %label: tensor<8xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<4x6xf32>
    %w2 = train.read @w2 : tensor<6x3xf32>
    %h = train.matmul %x, %w1 : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> loc("hidden")
    %a = train.softplus %h : tensor<8x6xf32> loc("active")
    %y = train.matmul %a, %w2 : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32> loc("head")
    %l = train.softmax_cross_entropy %y, %label : tensor<8x3xf32>, tensor<8xi32> loc("ce")
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.sgd<lr = 0.1>
}
