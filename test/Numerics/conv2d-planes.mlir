// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images [N, C, H, W] that convolutions read in place: several channels, strides, dilations, padding; an image computed by a kernel; a signal [N, C, L].
train.model @check {
  train.param @a : tensor<5x3x3x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<4x2x2x2xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : tensor<3x1x5x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%image: tensor<2x3x5x6xf32>, %planes: tensor<3x2x4x5xf32>, %signal: tensor<2x3x19xf32>, %weight0: tensor<2x5x6x5xf32>,
                   %weight1: tensor<3x3x3x4xf32>, %weight2: tensor<2x1x10x3xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<5x3x3x3xf32>
    %b = train.read @b : tensor<4x2x2x2xf32>
    %c = train.read @c : tensor<3x1x5x3xf32>
    %x0 = train.transpose %image [0, 2, 3, 1] : tensor<2x3x5x6xf32>
    %y0 = train.conv2d %x0, %a strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x6x5xf32>
    %x1 = train.transpose %planes [0, 2, 3, 1] : tensor<3x2x4x5xf32>
    %x2 = train.tanh %x1 : tensor<3x4x5x2xf32>
    %y1 = train.conv2d %x2, %b strides [1, 1] padding [0, 0, 0, 0] dilations [1, 2] : (tensor<3x4x5x2xf32>, tensor<4x2x2x2xf32>) -> tensor<3x3x3x4xf32>
    %x3 = train.transpose %signal [0, 2, 1] : tensor<2x3x19xf32>
    %x4 = train.reshape %x3 : tensor<2x19x3xf32> to tensor<2x1x19x3xf32>
    %y2 = train.conv2d %x4, %c strides [1, 2] padding [0, 0, 2, 2] : (tensor<2x1x19x3xf32>, tensor<3x1x5x3xf32>) -> tensor<2x1x10x3xf32>
    %w0 = train.mul %y0, %weight0 : tensor<2x5x6x5xf32>, tensor<2x5x6x5xf32>
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3] : tensor<2x5x6x5xf32>
    %w1 = train.mul %y1, %weight1 : tensor<3x3x3x4xf32>, tensor<3x3x3x4xf32>
    %t1 = train.reduce_sum %w1 over [0, 1, 2, 3] : tensor<3x3x3x4xf32>
    %w2 = train.mul %y2, %weight2 : tensor<2x1x10x3xf32>, tensor<2x1x10x3xf32>
    %t2 = train.reduce_sum %w2 over [0, 1, 2, 3] : tensor<2x1x10x3xf32>
    %sum1 = train.add %t0, %t1 : tensor<f32>, tensor<f32>
    %sum2 = train.add %sum1, %t2 : tensor<f32>, tensor<f32>
    train.return %sum2 : tensor<f32>
  }
  train.step @over_all minimize @loss over [@a, @b, @c] with #train.sgd<lr = 0.1>
}
