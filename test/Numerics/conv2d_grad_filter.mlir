// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @image : tensor<2x5x6x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<2x3x3x6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: tensor<6x3x3x2xf32>) -> tensor<f32> {
    %image = train.read @image : tensor<2x5x6x4xf32>
    %g = train.read @g : tensor<2x3x3x6xf32>
    %y = train.conv2d_grad_filter %image, %g strides [2, 2] padding [1, 1, 1, 1] groups 2 : (tensor<2x5x6x4xf32>, tensor<2x3x3x6xf32>) -> tensor<6x3x3x2xf32>
    %w0 = train.mul %y, %weight0 : tensor<6x3x3x2xf32>, tensor<6x3x3x2xf32>
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3] : tensor<6x3x3x2xf32>
    train.return %t0 : tensor<f32>
  }
  train.step @over_all minimize @loss over [@image, @g] with #train.sgd<lr = 0.1>
  train.step @over_image minimize @loss over [@image] with #train.sgd<lr = 0.1>
  train.step @over_g minimize @loss over [@g] with #train.sgd<lr = 0.1>
}
