// Totals, losses and gradients are summed over ranks; random ops draw for the part with the number of the rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-set-ranks=ranks=3 --phase-simplify --phase-autodiff --phase-optimize --train-check-uniform | FileCheck %s

// CHECK: train.model @m attributes {train.ranks = 3 : i64}
train.model @m {
  train.param @w : tensor<5x1xf32> = #train.zeros
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x1xf32>
    %0 = train.dropout %x rate 0.5 : tensor<4x5xf32>
    %1 = train.linear %0, %w : tensor<4x5xf32>, tensor<5x1xf32>
    %2 = train.mse %1, %y : tensor<4x1xf32>, tensor<4x1xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// CHECK-LABEL: train.func @fit.train(
// CHECK-SAME: {batch = 4 : i64
// CHECK: [[RANK:%[0-9]+]] = train.rank {{.*}} : tensor<i32>
// CHECK: [[WIDE:%[0-9]+]] = train.cast [[RANK]] {{.*}} : tensor<i32> to tensor<i64>
// CHECK: [[PART:%[0-9]+]] = train.broadcast_to [[WIDE]]
// CHECK: train.sum_ranks {{.*}} of 3 : tensor<f32>
// CHECK: train.dropout {{.*}} rate 5.000000e-01 state({{%[a-z0-9]+}}, {{%[a-z0-9]+}}, [[PART]])
// CHECK: [[SUM:%[0-9]+]] = train.sum_ranks {{.*}} of 3 : tensor<5x1xf32>
// CHECK: train.gradient @w, [[SUM]]
