// Convolution and linear layers in sizes that are no multiples of a tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @block {
  train.param @filter : tensor<40x3x3x5xf32> = #train.kaiming_normal
  train.param @up : tensor<40x70xf32> = #train.kaiming_uniform
  train.param @up_bias : tensor<70xf32> = #train.zeros
  train.param @down : tensor<70x10xf32> = #train.kaiming_uniform
  train.param @down_bias : tensor<10xf32> = #train.zeros
  train.func @loss(%x: tensor<3x6x7x5xf32>, %label: tensor<126xi32>) -> tensor<f32> {
    %w0 = train.read @filter : tensor<40x3x3x5xf32>
    %w1 = train.read @up : tensor<40x70xf32>
    %b1 = train.read @up_bias : tensor<70xf32>
    %w2 = train.read @down : tensor<70x10xf32>
    %b2 = train.read @down_bias : tensor<10xf32>
    %0 = train.conv2d %x, %w0 strides [1, 1] padding [1, 1, 1, 1] : (tensor<3x6x7x5xf32>, tensor<40x3x3x5xf32>) -> tensor<3x6x7x40xf32>
    %1 = train.reshape %0 : tensor<3x6x7x40xf32> to tensor<126x40xf32>
    %2 = train.linear %1, %w1, %b1 : tensor<126x40xf32>, tensor<40x70xf32>, tensor<70xf32>
    %3 = train.gelu %2 : tensor<126x70xf32>
    %4 = train.linear %3, %w2, %b2 : tensor<126x70xf32>, tensor<70x10xf32>, tensor<10xf32>
    %5 = train.softmax_cross_entropy %4, %label : tensor<126x10xf32>, tensor<126xi32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@filter, @up, @up_bias, @down, @down_bias] with #train.sgd<lr = 0.1>
}
