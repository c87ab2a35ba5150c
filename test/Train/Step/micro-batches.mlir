// Parts of a batch are arguments of their own; every part counts as much as its valid rows do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-simplify --phase-autodiff --phase-optimize | FileCheck %s

train.model @m {
  train.param @w : tensor<5x1xf32> = #train.zeros
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x1xf32>
    %0 = train.linear %x, %w : tensor<4x5xf32>, tensor<5x1xf32>
    %1 = train.mse %0, %y : tensor<4x1xf32>, tensor<4x1xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// CHECK-LABEL: train.func @fit.train(
// CHECK-SAME: [[W:%arg[0-9]+]]: tensor<5x1xf32> {train.is = #train.state<@w>}
// CHECK-SAME: [[X0:%arg[0-9]+]]: tensor<4x5xf32> {train.is = #train.input<"x", batch = 0>}
// CHECK-SAME: [[X1:%arg[0-9]+]]: tensor<4x5xf32> {train.is = #train.input<"x", batch = 0, part = 1>}
// CHECK-SAME: tensor<4x1xf32> {train.is = #train.input<"y", batch = 0>}
// CHECK-SAME: tensor<4x1xf32> {train.is = #train.input<"y", batch = 0, part = 1>}
// CHECK-SAME: [[VALID:%arg[0-9]+]]: tensor<i32> {train.is = #train.control<valid>}
// CHECK-SAME: attributes {batch = 8 : i64,
// CHECK-NOT: train.slice
// CHECK: train.matmul [[X0]],
// CHECK: [[GRAD0:%[0-9]+]] = train.matmul {{.*}} transpose_lhs
// CHECK: [[WEIGHT0:%[0-9]+]] = train.div
// CHECK: [[HAS0:%[0-9]+]] = train.compare gt
// CHECK: train.mul [[GRAD0]], [[WEIGHT0]]
// CHECK-NEXT: [[SHARE0:%[0-9]+]] = train.select [[HAS0]],
// CHECK: train.sub [[VALID]],
// CHECK: train.matmul [[X1]],
// CHECK: [[GRAD1:%[0-9]+]] = train.matmul {{.*}} transpose_lhs
// CHECK: train.mul [[GRAD1]],
// CHECK-NEXT: [[SHARE1:%[0-9]+]] = train.select
// CHECK-NEXT: [[SUM:%[0-9]+]] = train.add [[SHARE0]], [[SHARE1]]
// CHECK-NEXT: train.gradient @w, [[SUM]]

// A buffer that the function writes and never reads: a part without rows leaves what it held.
train.model @written {
  train.param @w : tensor<5x1xf32> = #train.zeros
  train.buffer @last : tensor<5x1xf32> = #train.ones
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x1xf32>
    %0 = train.linear %x, %w : tensor<4x5xf32>, tensor<5x1xf32>
    %1 = train.mse %0, %y : tensor<4x1xf32>, tensor<4x1xf32>
    train.write @last, %w : tensor<5x1xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// CHECK-LABEL: train.model @written
// CHECK: train.func @fit.train(
// CHECK-SAME: [[W:%arg[0-9]+]]: tensor<5x1xf32> {train.is = #train.state<@w>}
// CHECK-SAME: [[LAST:%arg[0-9]+]]: tensor<5x1xf32> {train.is = #train.state<@last>}
// CHECK: [[LAST0:%[0-9]+]] = train.select {{.*}}, [[W]], [[LAST]]
// CHECK: train.select {{.*}}, [[W]], [[LAST0]]
