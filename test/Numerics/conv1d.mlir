// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, strides, dilations, groups, and depthwise.
train.model @check {
  train.param @x : f32[2, 11, 6] = #train.normal<mean = 0.0, std = 1.0>
  train.param @a : f32[5, 3, 6] = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : f32[4, 2, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : f32[6, 5, 1] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[2, 11, 5], %weight1: f32[2, 6, 4], %weight2: f32[2, 3, 6]) {
    %x = train.read @x
    %a = train.read @a
    %b = train.read @b
    %c = train.read @c
    %y0 = train.conv1d %x, %a strides [1] padding [1, 1]
    %y1 = train.conv1d %x, %b strides [2] padding [3, 0] dilations [3] groups 2
    %y2 = train.conv1d %x, %c strides [3] padding [0, 1] groups 6
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2]
    %w1 = train.mul %y1, %weight1
    %t1 = train.reduce_sum %w1 over [0, 1, 2]
    %w2 = train.mul %y2, %weight2
    %t2 = train.reduce_sum %w2 over [0, 1, 2]
    %sum = train.add %t0, %t1
    %total = train.add %sum, %t2
    train.return %total
  }
  train.step @over_all minimize @loss over [@x, @a, @b, @c] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @over_filters minimize @loss over [@a, @b, @c] with #train.sgd<lr = 0.1>
}
