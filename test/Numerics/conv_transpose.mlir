// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of signals, images and volumes, with output padding, groups and dilations.
train.model @check {
  train.param @x1 : f32[2, 5, 6] = #train.normal<mean = 0.0, std = 1.0>
  train.param @a : f32[6, 3, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.param @x2 : f32[2, 3, 4, 5] = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : f32[5, 3, 2, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @x3 : f32[2, 3, 2, 3, 4] = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : f32[4, 3, 2, 2, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @d : f32[4, 2, 1, 1, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[2, 16, 4], %weight1: f32[2, 6, 7, 3], %weight2: f32[2, 8, 4, 5, 6], %weight3: f32[2, 5, 2, 3, 3]) {
    %x1 = train.read @x1
    %a = train.read @a
    %x2 = train.read @x2
    %b = train.read @b
    %x3 = train.read @x3
    %c = train.read @c
    %d = train.read @d
    %y0 = train.conv_transpose %x1, %a strides [3] padding [1, 0] dilations [2] groups 2
    %y1 = train.conv_transpose %x2, %b strides [2, 1] padding [1, 1, 0, 0] dilations [1, 3] output_padding [1, 0]
    %y2 = train.conv_transpose %x3, %c strides [2, 3, 2] padding [0, 0, 1, 0, 0, 1] dilations [1, 1, 1] groups 2 output_padding [1, 0, 0]
    %y3 = train.conv_transpose %x3, %d strides [2, 1, 1] padding [1, 0, 0, 0, 0, 0]
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2]
    %w1 = train.mul %y1, %weight1
    %t1 = train.reduce_sum %w1 over [0, 1, 2, 3]
    %w2 = train.mul %y2, %weight2
    %t2 = train.reduce_sum %w2 over [0, 1, 2, 3, 4]
    %w3 = train.mul %y3, %weight3
    %t3 = train.reduce_sum %w3 over [0, 1, 2, 3, 4]
    %s0 = train.add %t0, %t1
    %s1 = train.add %t2, %t3
    %total = train.add %s0, %s1
    train.return %total
  }
  train.step @over_all minimize @loss over all with #train.sgd<lr = 0.1>
  train.step @over_images minimize @loss over [@x1, @x2, @x3] with #train.sgd<lr = 0.1>
  train.step @over_filters minimize @loss over [@a, @b, @c, @d] with #train.sgd<lr = 0.1>
}
