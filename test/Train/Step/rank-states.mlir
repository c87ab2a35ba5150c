// State that rows change: sources of all ranks are gathered, and every rank updates the state with them in the order of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-set-ranks=ranks=2 --phase-simplify --phase-autodiff --phase-optimize --train-check-uniform | FileCheck %s

train.model @m {
  train.param @w : tensor<5x3xf32> = #train.zeros
  train.buffer @mean : tensor<3xf32> = #train.zeros
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x3xf32>
    %0 = train.linear %x, %w : tensor<4x5xf32>, tensor<5x3xf32>
    %1 = train.mse %0, %y : tensor<4x3xf32>, tensor<4x3xf32>
    %2 = train.read @mean : tensor<3xf32>
    %3 = train.reduce_sum %0 over [0] : tensor<4x3xf32>
    %4 = train.sub %3, %2 : tensor<3xf32>, tensor<3xf32>
    train.write @mean, %4 : tensor<3xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}

// CHECK-LABEL: train.func @fit.train(
// CHECK-SAME: [[MEAN:%[a-z0-9]+]]: tensor<3xf32> {train.is = #train.state<@mean>}
// CHECK: [[SUM:%[0-9]+]] = train.reduce_sum {{.*}} over [0] : tensor<4x3xf32>
// CHECK: [[ALL:%[0-9]+]] = train.gather_ranks [[SUM]] of 2
// CHECK: [[ROW:%[0-9]+]] = train.slice [[ALL]] from [0, 0] sizes [1, 3]
// CHECK: [[SUM:%[0-9]+]] = train.reshape [[ROW]]
// CHECK: [[FIRST:%[0-9]+]] = train.sub [[SUM]], [[MEAN]]
// CHECK: [[ROW:%[0-9]+]] = train.slice [[ALL]] from [1, 0] sizes [1, 3]
// CHECK: [[SUM:%[0-9]+]] = train.reshape [[ROW]]
// CHECK: [[SECOND:%[0-9]+]] = train.sub [[SUM]], [[FIRST]]
// CHECK: train.return {{%[0-9]+}}, [[SECOND]],
