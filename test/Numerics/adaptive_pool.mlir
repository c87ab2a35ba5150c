// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of equal and of different sizes, more windows than elements, and a single window.
train.model @check {
  train.param @x : f32[2, 5, 6, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @v : f32[2, 4, 5, 3, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[2, 3, 2, 3], %weight1: f32[2, 1, 8, 3], %weight2: f32[2, 1, 1, 1, 2], %weight3: f32[2, 2, 3, 3, 2]) {
    %x = train.read @x
    %v = train.read @v
    %y0 = train.adaptive_pool mean %x to [3, 2]
    %y1 = train.adaptive_pool max %x to [1, 8]
    %y2 = train.adaptive_pool sum %v to [1, 1, 1]
    %y3 = train.adaptive_pool max %v to [2, 3, 3]
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3]
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
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
