// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : f32[7, 13] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: f32[7, 3]) {
    %x = train.read @x
    %0, %i = train.top_k %x of 3 along 1
    %1, %j = train.top_k %x of 3 along 1 smallest
    %2 = train.sin %1
    %y = train.mul %0, %2
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
