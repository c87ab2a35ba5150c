// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of signals, images and volumes: dilations, padding that does not count, and last windows that end outside.
train.model @check {
  train.param @x1 : f32[2, 9, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @x2 : f32[2, 5, 6, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @x3 : f32[2, 4, 5, 3, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[2, 5, 3], %weight1: f32[2, 5, 3], %weight2: f32[2, 3, 6, 3], %weight3: f32[2, 3, 3, 3],
                   %weight4: f32[2, 3, 3, 3, 2], %weight5: f32[2, 2, 2, 2, 2], %weight6: f32[2, 4, 3]) {
    %x1 = train.read @x1
    %x2 = train.read @x2
    %x3 = train.read @x3
    %y0 = train.pool max %x1 window [3] strides [2] padding [2, 1] dilations [2] ceil
    %y1 = train.pool mean %x1 window [2] strides [2] padding [0, 0] ceil
    %y2 = train.pool mean %x2 window [3, 2] strides [2, 1] padding [1, 1, 0, 2] dilations [1, 2] exclude_padding
    %y3 = train.pool max %x2 window [2, 1] strides [2, 2] padding [0, 1, 0, 0]
    %y4 = train.pool mean %x3 window [3, 3, 1] strides [2, 2, 1] padding [1, 1, 1, 1, 0, 0] ceil exclude_padding
    %y5 = train.pool max %x3 window [2, 3, 2] strides [2, 2, 1] padding [0, 0, 0, 0, 0, 0]
    %y6 = train.pool sum %x1 window [3] strides [3] padding [1, 0] ceil
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2]
    %w1 = train.mul %y1, %weight1
    %t1 = train.reduce_sum %w1 over [0, 1, 2]
    %w2 = train.mul %y2, %weight2
    %t2 = train.reduce_sum %w2 over [0, 1, 2, 3]
    %w3 = train.mul %y3, %weight3
    %t3 = train.reduce_sum %w3 over [0, 1, 2, 3]
    %w4 = train.mul %y4, %weight4
    %t4 = train.reduce_sum %w4 over [0, 1, 2, 3, 4]
    %w5 = train.mul %y5, %weight5
    %t5 = train.reduce_sum %w5 over [0, 1, 2, 3, 4]
    %w6 = train.mul %y6, %weight6
    %t6 = train.reduce_sum %w6 over [0, 1, 2]
    %s0 = train.add %t0, %t1
    %s1 = train.add %t2, %t3
    %s2 = train.add %t4, %t5
    %s3 = train.add %s0, %s1
    %s4 = train.add %s2, %s3
    %total = train.add %s4, %t6
    train.return %total
  }
  train.step @over_all minimize @loss over all with #train.sgd<lr = 0.1>
  train.step @over_x1 minimize @loss over [@x1] with #train.sgd<lr = 0.1>
  train.step @over_x2 minimize @loss over [@x2] with #train.sgd<lr = 0.1>
  train.step @over_x3 minimize @loss over [@x3] with #train.sgd<lr = 0.1>
}
