// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index that names no element leaves the update out.
train.model @check {
  train.param @u : f32[7, 9] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: i32[7, 9], %weight: f32[7, 5]) {
    %u = train.read @u
    %last = train.constant dense<4> : tensor<i32>
    %none = train.constant dense<-1> : tensor<i32>
    %hit = train.compare le %i, %last
    %at = train.select %hit, %i, %none
    %0 = train.add_along_axis %u at %at along 1 of 5
    %y = train.sin %0
    %weighted = train.mul %y, %weight
    %total = train.reduce_sum %weighted over [0, 1]
    train.return %total
  }
  train.step @over_u minimize @loss over [@u] with #train.sgd<lr = 0.1>
}
