// Equal ops become a single op wherever the ops come from, and the first op's origin stays; ops fixed to different types, or in different
// regions, are different. An op made by a pattern has the origin of the replaced op.
// RUN: %ampc-opt %s --train-simplify --mlir-print-local-scope | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#first = #train.origin<"f/first">
#again = #train.origin<"f/again", stage = backward, order = 1>
#fixed = #train.origin<"f/fixed", compute = f32>
#region = #train.origin<"f/region", region = bf16>
#why = #amp.decision<"cut", "for one reason">
#other = #amp.decision<"cut", "for another">
train.model @m {
  // CHECK-LABEL: train.func @f
  train.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    // CHECK-NEXT: %[[ONE:.*]] = train.exp %{{.*}} {amp.decision = #amp.decision<"cut", "for one reason">, train.origin = #train.origin<"f/first">}
    %0 = train.exp %x {train.origin = #first, amp.decision = #why} : tensor<4xf32>
    %1 = train.exp %x {train.origin = #again, amp.decision = #other} : tensor<4xf32>
    // CHECK-NEXT: %[[FIXED:.*]] = train.exp %{{.*}} {train.origin = #train.origin<"f/fixed", compute = f32>}
    %2 = train.exp %x {train.origin = #fixed} : tensor<4xf32>
    // CHECK-NEXT: %[[REGION:.*]] = train.exp %{{.*}} {train.origin = #train.origin<"f/region", region = bf16>}
    %3 = train.exp %x {train.origin = #region} : tensor<4xf32>
    // CHECK-NEXT: train.return %[[ONE]], %[[ONE]], %[[FIXED]], %[[REGION]]
    train.return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: train.func @pattern
  train.func @pattern(%x: tensor<4xf32>) -> tensor<4xf32> {
    %two = train.constant dense<2.0> : tensor<f32>
    // CHECK-NEXT: train.square %{{.*}} {train.origin = #train.origin<"f/pow#0", stage = update>}
    %0 = train.pow %x, %two {train.origin = #train.origin<"f/pow#0", stage = update>} : tensor<4xf32>, tensor<f32>
    train.return %0 : tensor<4xf32>
  }
}
