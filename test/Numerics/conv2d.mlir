// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, strides, dilations, groups, and a 1x1 window that skips pixels.
train.model @check {
  train.param @x : tensor<2x5x6x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @a : tensor<3x3x3x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<4x3x2x2xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : tensor<5x1x1x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: tensor<2x5x6x3xf32>, %weight1: tensor<2x2x7x4xf32>, %weight2: tensor<2x3x3x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x5x6x4xf32>
    %a = train.read @a : tensor<3x3x3x4xf32>
    %b = train.read @b : tensor<4x3x2x2xf32>
    %c = train.read @c : tensor<5x1x1x4xf32>
    %y0 = train.conv2d %x, %a strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<2x5x6x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x6x3xf32>
    %y1 = train.conv2d %x, %b strides [2, 1] padding [1, 0, 2, 1] dilations [1, 2] groups 2 : (tensor<2x5x6x4xf32>, tensor<4x3x2x2xf32>) -> tensor<2x2x7x4xf32>
    %y2 = train.conv2d %x, %c strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1] groups 1 : (tensor<2x5x6x4xf32>, tensor<5x1x1x4xf32>) -> tensor<2x3x3x5xf32>
    %w0 = train.mul %y0, %weight0 : tensor<2x5x6x3xf32>, tensor<2x5x6x3xf32>
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3] : tensor<2x5x6x3xf32>
    %w1 = train.mul %y1, %weight1 : tensor<2x2x7x4xf32>, tensor<2x2x7x4xf32>
    %t1 = train.reduce_sum %w1 over [0, 1, 2, 3] : tensor<2x2x7x4xf32>
    %sum1 = train.add %t0, %t1 : tensor<f32>, tensor<f32>
    %w2 = train.mul %y2, %weight2 : tensor<2x3x3x5xf32>, tensor<2x3x3x5xf32>
    %t2 = train.reduce_sum %w2 over [0, 1, 2, 3] : tensor<2x3x3x5xf32>
    %sum2 = train.add %sum1, %t2 : tensor<f32>, tensor<f32>
    train.return %sum2 : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x, @a, @b, @c] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_c minimize @loss over [@c] with #train.sgd<lr = 0.1>
}
