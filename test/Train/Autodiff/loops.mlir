// The adjoint of a loop is a loop in the other direction over kept values; sums of a weight's gradient move behind the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify --train-autodiff --mlir-print-local-scope | FileCheck %s
// RUN: %ampc-opt %s --phase-import --phase-simplify --train-autodiff --train-merge-rounds --mlir-print-local-scope | FileCheck %s --check-prefix=MERGED
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision --phase-loss-scale --phase-recompute | not grep train.scan
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff=observe=true | not grep train.scan
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff=activation-budget=50%% | not grep train.scan

train.model @m(batch = 2, time = 3, width = 4) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.param @b : f32[width] = #train.zeros
  train.param @v : f32[width] = #train.zeros
  // The forward loop keeps the state before the round; its results are kept already.
  // CHECK-LABEL: @fit.grad
  // CHECK: %[[F:.*]]:3 = train.scan carry %[[H:.*]] = %{{.*}} over %[[X:.*]] = %{{.*}}
  // CHECK: %[[NEW:.*]] = train.tanh
  // CHECK: train.next %[[NEW]] each %[[NEW]], %[[H]]
  // Carried: the cotangent of the state, and sums for the weights that the block reads. No value of the forward pass is computed again.
  // CHECK: %[[R:.*]]:4 = train.scan carry %[[DH:.*]] = %{{.*}}, %[[SUM0:.*]] = %{{.*}}, %[[SUM1:.*]] = %{{.*}}, %[[SUM2:.*]] = %{{.*}} over %[[DY:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[F]]#2, %[[AFTER:.*]] = %[[F]]#1 times 3 reverse
  // CHECK-NOT: train.tanh
  // CHECK: %[[G:.*]] = train.add %[[DH]], %[[DY]] {train.fan_in
  // CHECK: %[[D:.*]] = train.mul %[[G]]
  // CHECK: train.next
  // CHECK: train.gradient @w

  // MERGED-LABEL: @fit.grad
  // MERGED: %[[F:.*]]:3 = train.scan carry
  // The loop carries no tensor of the weight's size: one product of depth 3 * 2.
  // MERGED: %[[R:.*]]:3 = train.scan carry %{{[^,]*}} = %{{[^,]*}}, %{{[^,]*}} = %{{[^,]*}} over %{{.*}} times 3 reverse
  // MERGED: train.next
  // MERGED-DAG: %[[A:.*]] = train.reshape %[[F]]#2 {{.*}} : tensor<3x2x4xf32> to tensor<6x4xf32>
  // MERGED-DAG: %[[B:.*]] = train.reshape %[[R]]#2 {{.*}} : tensor<3x2x4xf32> to tensor<6x4xf32>
  // MERGED: train.matmul %[[A]], %[[B]] transpose_lhs {{.*}} : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
  // MERGED: train.reduce_sum %{{.*}} over [0] {{.*}} : tensor<6x4xf32>
  train.func @loss(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %h, %all = train.scan carry %a = %h0 over %r = %x {
      %m = train.matmul %a, %w
      %s = train.add %m, %r
      %t = train.add %s, %b
      %u = train.mul %v, %v
      %z = train.add %t, %u
      %n = train.tanh %z
      train.next %n each %n
    }
    %q = train.square %all
    %l = train.reduce_sum %q over [0, 1, 2]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
