// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<4x5x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<4x5x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<4x5x3xf32>
    %i = train.iota along 0 : tensor<4x5x3xf32>
    %j = train.iota along 1 : tensor<4x5x3xf32>
    %k = train.iota along 2 : tensor<4x5x3xf32>
    %0 = train.mul %x, %i : tensor<4x5x3xf32>, tensor<4x5x3xf32>
    %1 = train.add %0, %j : tensor<4x5x3xf32>, tensor<4x5x3xf32>
    %2 = train.sin %1 : tensor<4x5x3xf32>
    %y = train.mul %2, %k : tensor<4x5x3xf32>, tensor<4x5x3xf32>
    %weighted = train.mul %y, %weight : tensor<4x5x3xf32>, tensor<4x5x3xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x5x3xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
