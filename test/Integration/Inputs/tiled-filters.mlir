// A convolution by tiles of outputs that a step and an export compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @net(batch = 8) {
  train.param @a : f32[64, 3, 3, 64] = #train.normal<mean = 0.0, std = 0.05>
  train.param @b : f32[96, 3, 3, 64] = #train.normal<mean = 0.0, std = 0.05>
  train.func @inner(%image: f32[batch, 15, 17, 64]) {
    %y = train.conv2d %image, %a strides [1, 1] padding [1, 1, 1, 1]
    %r = train.tanh %y
    train.return %r
  }
  train.func @loss(%image: f32[batch, 15, 17, 64], %target: f32[batch, 13, 18, 96]) {
    %r = train.call @inner(%image)
    %z = train.conv2d %r, %b strides [1, 1] padding [0, 0, 2, 1]
    %loss = train.mse %z, %target reduce sum
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.001>
  train.export @inner as "inner"
}
