// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : f32[2, 5, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: f32[2, 3, 7]) {
    %x = train.read @x
    %0 = train.resize linear %x to [2, 7, 3]
    %1 = train.resize cubic %0 to [2, 4, 5] coordinates align_corners coefficient -0.5 exclude_outside
    %2 = train.resize nearest %1 to [2, 8, 7] coordinates asymmetric rounding floor
    %3 = train.resize linear %2 to [2, 3, 7] antialias
    %y = train.sin %3
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1, 2]
    train.return %total
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
