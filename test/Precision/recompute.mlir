// RUN: %ampc-opt %s --amp-recompute | FileCheck %s
// RUN: %ampc-opt %s --amp-recompute=explain=true 2>&1 | FileCheck %s --check-prefix=BYTES
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#back = #train.origin<"back", stage = backward>
train.model @saved {
  // The backward pass recomputes the bf16 value and the f32 form from the input; the exponential is kept.
  // BYTES: remark: the backward pass of @f keeps 128 bytes less
  // CHECK-LABEL: train.func @f
  // CHECK-SAME:  %[[X:[a-z0-9]+]]: tensor<32xbf16>
  // CHECK-SAME:  amp.saved_bytes = 128 : i64
  train.func @f(%x: tensor<32xbf16>) -> (tensor<f32>, tensor<32xf32>) attributes {role = #train.role<train>, step = "fit"} {
    %0 = train.relu %x : tensor<32xbf16>
    %1 = train.cast %0 : tensor<32xbf16> to tensor<32xf32>
    // CHECK:      %[[E:.*]] = train.exp
    %2 = train.exp %1 : tensor<32xf32>
    %3 = train.reduce_sum %2 over [0] : tensor<32xf32>
    // CHECK:      train.seed
    %4 = train.seed 1.0 {train.origin = #back} : tensor<f32>
    %5 = train.mul %2, %4 {train.origin = #back} : tensor<32xf32>, tensor<f32>
    // CHECK:      %[[RELU:.*]] = train.relu %[[X]] {amp.recompute} : tensor<32xbf16>
    // CHECK-NEXT: %[[AGAIN:.*]] = train.cast %[[RELU]] {amp.recompute} : tensor<32xbf16> to tensor<32xf32>
    // CHECK-NEXT: train.mul %{{.*}}, %[[AGAIN]]
    %6 = train.mul %5, %1 {train.origin = #back} : tensor<32xf32>, tensor<32xf32>
    train.return %3, %6 : tensor<f32>, tensor<32xf32>
  }

  // A sum of two values that have no other reader is kept: the operands take twice the memory.
  // CHECK-LABEL: train.func @dear
  // CHECK-SAME:  amp.saved_bytes = 128 : i64
  train.func @dear(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32>) attributes {role = #train.role<train>, step = "fit"} {
    %0 = train.exp %x : tensor<32xf32>
    %1 = train.exp %y : tensor<32xf32>
    // CHECK: %[[SUM:.*]] = train.add
    %2 = train.add %0, %1 : tensor<32xf32>, tensor<32xf32>
    %3 = train.reduce_sum %2 over [0] : tensor<32xf32>
    // CHECK: train.seed
    %4 = train.seed 1.0 {train.origin = #back} : tensor<f32>
    // CHECK-NEXT: train.mul %[[SUM]]
    %5 = train.mul %2, %4 {train.origin = #back} : tensor<32xf32>, tensor<f32>
    train.return %3, %5 : tensor<f32>, tensor<32xf32>
  }
}
