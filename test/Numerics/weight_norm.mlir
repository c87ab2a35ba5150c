// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<3x7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @h : tensor<3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x7x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x7x5xf32>
    %g = train.read @g : tensor<7xf32>
    %h = train.read @h : tensor<3xf32>
    %0 = train.weight_norm %x, %g along 1 : tensor<3x7x5xf32>, tensor<7xf32>
    %1 = train.weight_norm %x, %h along 0 : tensor<3x7x5xf32>, tensor<3xf32>
    %y = train.add %0, %1 : tensor<3x7x5xf32>, tensor<3x7x5xf32>
    %weighted = train.mul %y, %weight : tensor<3x7x5xf32>, tensor<3x7x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<3x7x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x, @g, @h] with #train.sgd<lr = 0.1>
}
