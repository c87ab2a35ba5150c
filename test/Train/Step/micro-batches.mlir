// Parts of a batch are separate arguments; divisors of the parts are computed before the first part.
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
// CHECK: [[COUNT0:%[0-9]+]] = train.cast
// CHECK: [[COUNT1:%[0-9]+]] = train.cast
// CHECK: [[TOTAL:%[0-9]+]] = train.add
// CHECK-NEXT: train.matmul [[X0]],
// CHECK: [[LOSS0:%[0-9]+]] = train.div {{.*}}, [[TOTAL]]
// CHECK: [[SEED:%[0-9]+]] = train.seed
// CHECK: train.div [[SEED]], [[TOTAL]]
// CHECK: [[GRAD0:%[0-9]+]] = train.matmul {{.*}} transpose_lhs
// CHECK: [[HAS0:%[0-9]+]] = train.compare gt
// CHECK: [[TERM0:%[0-9]+]] = train.select [[HAS0]], [[GRAD0]],
// CHECK: train.matmul [[X1]],
// CHECK: [[GRAD1:%[0-9]+]] = train.matmul {{.*}} transpose_lhs
// CHECK: [[TERM1:%[0-9]+]] = train.select {{.*}}, [[GRAD1]],
// CHECK-NEXT: [[SUM:%[0-9]+]] = train.add [[TERM0]], [[TERM1]]
// CHECK-NEXT: train.gradient @w, [[SUM]]

// Buffers that the function writes and never reads. From rows: a part without rows leaves the old value. Not from rows: as in a whole batch.
train.model @written {
  train.param @w : tensor<5x1xf32> = #train.zeros
  train.buffer @last : tensor<f32> = #train.ones
  train.buffer @copy : tensor<5x1xf32> = #train.ones
  train.func @loss(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x1xf32>
    %0 = train.linear %x, %w : tensor<4x5xf32>, tensor<5x1xf32>
    %1 = train.mse %0, %y : tensor<4x1xf32>, tensor<4x1xf32>
    %2 = train.mse %0, %y reduce sum : tensor<4x1xf32>, tensor<4x1xf32>
    train.write @last, %2 : tensor<f32>
    train.write @copy, %w : tensor<5x1xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
}

// CHECK-LABEL: train.model @written
// CHECK: train.func @fit.train(
// CHECK-SAME: [[W:%arg[0-9]+]]: tensor<5x1xf32> {train.is = #train.state<@w>}
// CHECK-SAME: [[LAST:%arg[0-9]+]]: tensor<f32> {train.is = #train.state<@last>}
// CHECK: [[LAST0:%[0-9]+]] = train.select {{.*}}, [[LAST]] :
// CHECK: [[LAST1:%[0-9]+]] = train.select {{.*}}, [[LAST0]] :
// CHECK: train.return {{.*}}[[LAST1]], [[W]],
