// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// round of data, and of the parameter, which gets no gradient.
train.model @check {
  train.param @x : tensor<7x13xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<7x13xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<7x13xf32>
    %w = train.round %weight : tensor<7x13xf32>
    %z = train.round %x : tensor<7x13xf32>
    %d = train.sub %x, %z : tensor<7x13xf32>, tensor<7x13xf32>
    %y = train.mul %d, %w : tensor<7x13xf32>, tensor<7x13xf32>
    %weighted = train.mul %y, %weight : tensor<7x13xf32>, tensor<7x13xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<7x13xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
