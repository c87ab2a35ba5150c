// Products of all rounds at once: in front of a loop for rows of a sequence, behind for results that are only kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-merge-rounds --mlir-print-local-scope | FileCheck %s

train.model @m(batch = 2, time = 3, width = 4, out = 5) {
  // CHECK-LABEL: @both
  // CHECK: %[[FLAT:.*]] = train.reshape %[[XS:[a-z0-9]+]] {{.*}} : tensor<3x2x4xf32> to tensor<6x4xf32>
  // CHECK: %[[ALL:.*]] = train.matmul %[[FLAT]], %[[W:.*]] {{.*}} : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  // CHECK: %[[ROWS:.*]] = train.reshape %[[ALL]] {{.*}} : tensor<6x4xf32> to tensor<3x2x4xf32>
  // CHECK: %[[R:.*]]:2 = train.scan carry %[[H:.*]] = %{{.*}} over %{{.*}} = %[[XS]], %[[P:.*]] = %[[ROWS]] reverse
  // CHECK-NEXT: %[[S:.*]] = train.add %[[P]], %[[H]]
  // CHECK-NEXT: %[[N:.*]] = train.tanh %[[S]]
  // CHECK-NEXT: train.next %[[N]] each %[[N]]
  // CHECK: %[[KEPT:.*]] = train.reshape %[[R]]#1 {{.*}} : tensor<3x2x4xf32> to tensor<6x4xf32>
  // CHECK: %[[O:.*]] = train.matmul %[[KEPT]], %[[U:.*]] transpose_rhs {{.*}} : (tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<6x5xf32>
  // CHECK: train.reshape %[[O]] {{.*}} : tensor<6x5xf32> to tensor<3x2x5xf32>
  train.func @both(%xs: f32[time, batch, width], %h0: f32[batch, width], %w: f32[width, width], %u: f32[out, width]) {
    %h, %o = train.scan carry %a = %h0 over %x = %xs reverse {
      %p = train.matmul %x, %w
      %s = train.add %p, %a
      %n = train.tanh %s
      %q = train.matmul %n, %u transpose_rhs
      train.next %n each %q
    }
    train.return %h, %o
  }

  // A product of a carried value stays, and so do products that something else reads, and products whose matrix the round makes.
  // CHECK-LABEL: @stay
  // CHECK-NOT: train.matmul
  // CHECK: train.scan
  // CHECK-COUNT-3: train.matmul
  // CHECK: train.next
  // CHECK-NOT: train.matmul
  train.func @stay(%xs: f32[time, batch, width], %h0: f32[batch, width], %w: f32[width, width]) {
    %h, %o = train.scan carry %a = %h0 over %x = %xs {
      %p = train.matmul %a, %w
      %v = train.tanh %w
      %m = train.mul %x, %a
      %s = train.matmul %m, %v
      %g = train.matmul %m, %x transpose_lhs
      %n = train.add %p, %s
      train.next %n each %g
    }
    train.return %h, %o
  }
  train.export @both as "both"
  train.export @stay as "stay"
}
