// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @table : tensor<7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: tensor<4x3xi32>, %weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %table = train.read @table : tensor<7x5xf32>
    %0 = train.gather %table at %i : tensor<7x5xf32>, tensor<4x3xi32>
    %rows = train.constant dense<7> : tensor<i32>
    %j = train.sub %i, %rows : tensor<4x3xi32>, tensor<i32>
    %1 = train.gather %table at %j from_end : tensor<7x5xf32>, tensor<4x3xi32>
    %2 = train.mul %0, %1 : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %y = train.sin %2 : tensor<4x3x5xf32>
    %weighted = train.mul %y, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_table minimize @loss over [@table] with #train.sgd<lr = 0.1>
}
