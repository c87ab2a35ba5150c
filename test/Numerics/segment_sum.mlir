// RUN: ampc check %s --also=bf16,f16
// RUN: ampc compile %s --precision=f64 --compile-to=optimize | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a table's gradient, which the check writes into a dense gradient, against differences: equal indices, two lookups.
// CHECK: train.segment_sum
train.model @check {
  train.param @table : tensor<40x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: tensor<9xi32>, %j: tensor<9x2xi32>, %weight: tensor<9x5xf32>) -> tensor<f32> {
    %table = train.read @table : tensor<40x5xf32>
    %0 = train.embedding %table at %i : tensor<40x5xf32>, tensor<9xi32>
    %1 = train.embedding %table at %j : tensor<40x5xf32>, tensor<9x2xi32>
    %2 = train.reduce_sum %1 over [1] : tensor<9x2x5xf32>
    %3 = train.mul %0, %2 : tensor<9x5xf32>, tensor<9x5xf32>
    %y = train.sin %3 : tensor<9x5xf32>
    %weighted = train.mul %y, %weight : tensor<9x5xf32>, tensor<9x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<9x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_table minimize @loss over [@table] with #train.sgd<lr = 0.1>
}
