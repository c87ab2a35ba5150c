// RUN: %ampc-opt %s --train-name-ops --train-instantiate | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits of an input with two billion labels are found without a number for each.

train.model @m {
  train.param @w : tensor<2147483647x3xf32> = #train.zeros {frozen}
  train.func @loss(%label: tensor<2147483647xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<2147483647x3xf32>
    %0 = train.softmax_cross_entropy %w, %label ignore -1 : tensor<2147483647x3xf32>, tensor<2147483647xi32>
    train.return %0 : tensor<f32>
  }
  train.export @loss as "loss"
}

// CHECK: tensor<2147483647xi32> {train.is = #train.input<"label", batch = 0, limit = 3, ignore = -1>}
