// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, strides, dilations, groups; filters of width and height 1, also with a stride of 2; and a filter of depth 1.
train.model @check {
  train.param @x : f32[2, 5, 4, 3, 4] = #train.normal<mean = 0.0, std = 1.0>
  train.param @a : f32[3, 3, 3, 2, 4] = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : f32[4, 2, 2, 3, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : f32[6, 3, 1, 1, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.param @d : f32[5, 1, 3, 3, 4] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[2, 5, 4, 2, 3], %weight1: f32[2, 3, 3, 3, 4], %weight2: f32[2, 2, 4, 3, 6],
                   %weight3: f32[2, 2, 2, 2, 6], %weight4: f32[2, 3, 4, 3, 5]) {
    %x = train.read @x
    %a = train.read @a
    %b = train.read @b
    %c = train.read @c
    %d = train.read @d
    %y0 = train.conv3d %x, %a strides [1, 1, 1] padding [1, 1, 1, 1, 0, 0]
    %y1 = train.conv3d %x, %b strides [2, 1, 1] padding [2, 1, 1, 0, 1, 1] dilations [3, 2, 1] groups 2
    %y2 = train.conv3d %x, %c strides [2, 1, 1] padding [0, 1, 0, 0, 0, 0] groups 2
    %y3 = train.conv3d %x, %c strides [3, 2, 2] padding [1, 1, 0, 0, 0, 0] groups 2
    %y4 = train.conv3d %x, %d strides [2, 1, 1] padding [0, 0, 1, 1, 1, 1]
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3, 4]
    %w1 = train.mul %y1, %weight1
    %t1 = train.reduce_sum %w1 over [0, 1, 2, 3, 4]
    %w2 = train.mul %y2, %weight2
    %t2 = train.reduce_sum %w2 over [0, 1, 2, 3, 4]
    %w3 = train.mul %y3, %weight3
    %t3 = train.reduce_sum %w3 over [0, 1, 2, 3, 4]
    %w4 = train.mul %y4, %weight4
    %t4 = train.reduce_sum %w4 over [0, 1, 2, 3, 4]
    %s0 = train.add %t0, %t1
    %s1 = train.add %t2, %t3
    %s2 = train.add %s0, %s1
    %total = train.add %s2, %t4
    train.return %total
  }
  train.step @over_all minimize @loss over [@x, @a, @b, @c, @d] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @over_filters minimize @loss over [@a, @b, @c, @d] with #train.sgd<lr = 0.1>
}
