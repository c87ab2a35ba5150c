// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<2x3x5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @gamma : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @beta : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<2x3x5x7xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x5x7xf32>
    %gamma = train.read @gamma : tensor<7xf32>
    %beta = train.read @beta : tensor<7xf32>
    %0 = train.instance_norm %x, %gamma, %beta eps 1.0e-3 : tensor<2x3x5x7xf32>, tensor<7xf32>, tensor<7xf32>
    %1 = train.reshape %0 : tensor<2x3x5x7xf32> to tensor<2x15x7xf32>
    %2 = train.instance_norm %1, %gamma, %beta eps 4.0e+3 : tensor<2x15x7xf32>, tensor<7xf32>, tensor<7xf32>
    %y = train.reshape %2 : tensor<2x15x7xf32> to tensor<2x3x5x7xf32>
    %weighted = train.mul %y, %weight : tensor<2x3x5x7xf32>, tensor<2x3x5x7xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2, 3] : tensor<2x3x5x7xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x, @gamma, @beta] with #train.sgd<lr = 0.1>
}
