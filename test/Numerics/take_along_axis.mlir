// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : f32[7, 5, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: i32[7, 4, 3], %weight: f32[7, 4, 3]) {
    %x = train.read @x
    %0 = train.take_along_axis %x at %i along 1
    %y = train.sin %0
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1, 2]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
