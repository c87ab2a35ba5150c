// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : f32[3, 5] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: f32[7, 15]) {
    %x = train.read @x
    %0 = train.pad_mode reflect %x low [0, 7] high [2, -1]
    %1 = train.pad_mode edge %0 low [-1, 0] high [1, 2]
    %2 = train.pad_mode wrap %1 low [1, -2] high [0, 3]
    %3 = train.pad_mode constant %2 low [0, -1] high [1, 2] value -1.5
    %y = train.sin %3
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
