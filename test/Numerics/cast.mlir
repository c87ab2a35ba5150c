// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<7x13xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: tensor<13xi32>, %b: tensor<13xi8>, %weight: tensor<7x13xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<7x13xf32>
    %r = train.cast %i : tensor<13xi32> to tensor<13xf32>
    %u = train.cast %b {is_unsigned} : tensor<13xi8> to tensor<13xf32>
    %s = train.add %r, %u : tensor<13xf32>, tensor<13xf32>
    %y = train.mul %x, %s : tensor<7x13xf32>, tensor<13xf32>
    %weighted = train.mul %y, %weight : tensor<7x13xf32>, tensor<7x13xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<7x13xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
