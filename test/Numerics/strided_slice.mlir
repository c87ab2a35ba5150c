// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : f32[7, 13] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: f32[3, 4]) {
    %x = train.read @x
    %0 = train.strided_slice %x from [6, 1] sizes [3, 4] strides [-2, 3]
    %1 = train.strided_slice %0 from [0, 3] sizes [3, 4] strides [1, -1]
    %y = train.sin %1
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
