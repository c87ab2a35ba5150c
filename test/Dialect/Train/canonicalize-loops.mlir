// Loops have the values that their results depend on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-simplify | FileCheck %s
// CHECK: #[[$SCAN:.*]] = #train.origin<"f/scan#0">
train.model @m {
  // Kept values without readers, carried values without effect, and rows that nothing reads go; what the block computed for them goes too.
  // CHECK-LABEL: train.func @dead
  // CHECK: %[[L:.*]]:2 = train.scan carry %[[H:.*]] = %[[H0:.*]] over %[[X:.*]] = %{{.*}} : tensor<4xf32>, tensor<5x4xf32> attributes {train.origin = #[[$SCAN]]} {
  // CHECK-NEXT: %[[S:.*]] = train.add %[[H]], %[[X]]
  // CHECK-NEXT: train.next %[[S]] each %[[S]]
  // CHECK: train.return %[[L]]#0, %[[L]]#1
  train.func @dead(%h0: tensor<4xf32>, %xs: tensor<5x4xf32>, %ys: tensor<5x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    %h1, %k1, %a, %b = train.scan carry %h = %h0, %k = %h0 over %x = %xs, %y = %ys : tensor<4xf32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32> attributes {train.origin = #train.origin<"f/scan#0">} {
      %s = train.add %h, %x : tensor<4xf32>, tensor<4xf32>
      %t = train.mul %k, %y : tensor<4xf32>, tensor<4xf32>
      %u = train.exp %t : tensor<4xf32>
      train.next %s, %t each %u, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    train.return %h1, %b : tensor<4xf32>, tensor<5x4xf32>
  }
  // A value that a living value reads in a later round stays, although no result is its own.
  // CHECK-LABEL: train.func @turns
  // CHECK: train.scan carry %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} times 5
  train.func @turns(%h0: tensor<4xf32>, %k0: tensor<4xf32>) -> tensor<4xf32> {
    %h1, %k1 = train.scan carry %h = %h0, %k = %k0 times 5 : tensor<4xf32>, tensor<4xf32> {
      %t = train.exp %h : tensor<4xf32>
      train.next %k, %t : tensor<4xf32>, tensor<4xf32>
    }
    train.return %h1 : tensor<4xf32>
  }
  // A value that every round passes on unchanged comes from outside.
  // CHECK-LABEL: train.func @unchanged
  // CHECK-SAME: %[[H0:[a-z0-9]*]]: {{[^,]*}}, %[[C0:[a-z0-9]*]]:
  // CHECK: %[[L:.*]] = train.scan carry %[[H:.*]] = %[[H0]] times 5 : tensor<4xf32> {
  // CHECK-NEXT: train.mul %[[H]], %[[C0]]
  // CHECK: train.return %[[L]], %[[C0]]
  train.func @unchanged(%h0: tensor<4xf32>, %c0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %h1, %c1 = train.scan carry %h = %h0, %c = %c0 times 5 : tensor<4xf32>, tensor<4xf32> {
      %t = train.mul %h, %c : tensor<4xf32>, tensor<4xf32>
      train.next %t, %c : tensor<4xf32>, tensor<4xf32>
    }
    train.return %h1, %c1 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: train.func @nothing
  // CHECK-NEXT: train.return %{{.*}} : tensor<4xf32>
  train.func @nothing(%c0: tensor<4xf32>) -> tensor<4xf32> {
    %c1 = train.scan carry %c = %c0 times 5 : tensor<4xf32> {
      train.next %c : tensor<4xf32>
    }
    train.return %c1 : tensor<4xf32>
  }
}
