// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several groups, a single group, and as many groups as channels.
train.model @check {
  train.param @x : tensor<2x3x5x6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @gamma : tensor<6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @beta : tensor<6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<2x3x5x6xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x5x6xf32>
    %gamma = train.read @gamma : tensor<6xf32>
    %beta = train.read @beta : tensor<6xf32>
    %0 = train.group_norm %x, %gamma, %beta groups 3 eps 1.0e-3 : tensor<2x3x5x6xf32>, tensor<6xf32>, tensor<6xf32>
    %1 = train.group_norm %x, %gamma, %beta groups 1 eps 4.0e+3 : tensor<2x3x5x6xf32>, tensor<6xf32>, tensor<6xf32>
    %2 = train.group_norm %x, %gamma, %beta groups 6 eps 1.0e-5 : tensor<2x3x5x6xf32>, tensor<6xf32>, tensor<6xf32>
    %3 = train.add %0, %1 : tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>
    %y = train.add %3, %2 : tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>
    %weighted = train.mul %y, %weight : tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2, 3] : tensor<2x3x5x6xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x, @gamma, @beta] with #train.sgd<lr = 0.1>
}
