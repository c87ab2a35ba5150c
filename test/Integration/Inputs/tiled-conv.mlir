// Two convolutions of 3x3 taps whose images, and paddings, do not end where tiles do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @net {
  train.param @a : tensor<64x3x3x64xf32> = #train.normal<mean = 0.0, std = 0.05>
  train.param @b : tensor<96x3x3x64xf32> = #train.normal<mean = 0.0, std = 0.05>
  train.func @loss(%image: tensor<8x15x17x64xf32>, %target: tensor<8x13x18x96xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<64x3x3x64xf32>
    %b = train.read @b : tensor<96x3x3x64xf32>
    %y0 = train.conv2d %image, %a strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<8x15x17x64xf32>, tensor<64x3x3x64xf32>) -> tensor<8x15x17x64xf32>
    %r = train.tanh %y0 : tensor<8x15x17x64xf32>
    %y1 = train.conv2d %r, %b strides [1, 1] padding [0, 0, 2, 1] dilations [1, 1] groups 1 : (tensor<8x15x17x64xf32>, tensor<96x3x3x64xf32>) -> tensor<8x13x18x96xf32>
    %loss = train.mse %y1, %target reduce sum : tensor<8x13x18x96xf32>, tensor<8x13x18x96xf32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@a, @b] with #train.sgd<lr = 0.001>
}
