// A loss of a gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @twice {
  train.param @x : tensor<3x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<3x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x5xf32>
    %g = train.read @g : tensor<3x5xf32>
    %dx = toy.snake_grad %x, %g a 0.5 : tensor<3x5xf32>
    %weighted = train.mul %dx, %weight : tensor<3x5xf32>, tensor<3x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<3x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @fit minimize @loss over [@x, @g] with #train.sgd<lr = 0.1>
}
