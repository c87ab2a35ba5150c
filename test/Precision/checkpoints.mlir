// Ops of a segment are recomputed for the adjoints, as late as possible.
// RUN: %ampc-opt %s --amp-recompute=repeat=false --mlir-print-local-scope | FileCheck %s
// RUN: %ampc-opt %s --amp-recompute="repeat=false explain=true" 2>&1 | FileCheck %s --check-prefix=COST
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#outside = #train.origin<"x", stage = backward>
#exp1 = #train.origin<"a/exp#0", segment = "a">
#exp1_grad = #train.origin<"a/exp#0", stage = backward, order = 1, segment = "a">
#exp2 = #train.origin<"b/exp#0", segment = "b">
#exp2_grad = #train.origin<"b/exp#0", stage = backward, order = 1, segment = "b">
train.model @checkpoints {
  // Segments of two exponentials each, whose adjoints read the results: inputs of a segment are kept, values inside are not. Of 12 ops
  // on 32 elements two are recomputed.
  // COST: remark: with checkpoints the backward pass of @chain keeps 256 bytes in place of 512, and computes 16.6 % of the step's operations again
  // CHECK-LABEL: train.func @chain
  // CHECK-SAME:  amp.checkpoints = {flops = 385 : i64, flops_again = 64 : i64, saved_bytes_without = 512 : i64}
  // CHECK-SAME:  amp.saved_bytes = 256 : i64
  train.func @chain(%x: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32>) attributes {role = #train.role<train>, step = "fit"} {
    // CHECK: %[[A1:.*]] = train.exp %arg0
    %a1 = train.exp %x {train.origin = #exp1} : tensor<32xf32>
    // CHECK: %[[A2:.*]] = train.exp %[[A1]]
    %a2 = train.exp %a1 {train.origin = #exp1} : tensor<32xf32>
    // CHECK: %[[B1:.*]] = train.exp %[[A2]]
    %b1 = train.exp %a2 {train.origin = #exp2} : tensor<32xf32>
    // CHECK: %[[B2:.*]] = train.exp %[[B1]]
    %b2 = train.exp %b1 {train.origin = #exp2} : tensor<32xf32>
    // CHECK: train.reduce_sum
    %s = train.reduce_sum %b2 over [0] : tensor<32xf32>
    %seed = train.seed 1.0 {train.origin = #outside} : tensor<f32>
    // The last value has a reader outside, so the value is kept, and the adjoint reads the kept value.
    // CHECK: train.mul %[[B2]]
    %o = train.mul %b2, %seed {train.origin = #outside} : tensor<32xf32>, tensor<f32>
    // CHECK: %[[G1:.*]] = train.mul %{{.*}}, %[[B2]]
    %g1 = train.mul %o, %b2 {train.origin = #exp2_grad} : tensor<32xf32>, tensor<32xf32>
    // CHECK-NEXT: %[[AGAIN:.*]] = train.exp %[[A2]] {amp.recompute, train.origin = #train.origin<"b/exp#0", stage = backward, segment = "b">}
    // CHECK-NEXT: %[[G2:.*]] = train.mul %[[G1]], %[[AGAIN]]
    %g2 = train.mul %g1, %b1 {train.origin = #exp2_grad} : tensor<32xf32>, tensor<32xf32>
    // The second segment's recomputed op reads %a2, so %a2 is kept.
    // CHECK-NEXT: %[[G3:.*]] = train.mul %[[G2]], %[[A2]]
    %g3 = train.mul %g2, %a2 {train.origin = #exp1_grad} : tensor<32xf32>, tensor<32xf32>
    // CHECK-NEXT: %[[AGAIN:.*]] = train.exp %arg0 {amp.recompute
    // CHECK-NEXT: train.mul %[[G3]], %[[AGAIN]]
    %g4 = train.mul %g3, %a1 {train.origin = #exp1_grad} : tensor<32xf32>, tensor<32xf32>
    train.return %s, %g4 : tensor<f32>, tensor<32xf32>
  }

  // Micro-batches are separate segments, and values that only the forward pass reads are not recomputed.
  // CHECK-LABEL: train.func @parts
  train.func @parts(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32>, tensor<32xf32>) attributes {role = #train.role<train>, step = "fit"} {
    %a = train.exp %x {train.origin = #exp1} : tensor<32xf32>
    %s = train.reduce_sum %a over [0] {train.origin = #exp1} : tensor<32xf32>
    %seed = train.seed 1.0 {train.origin = #outside} : tensor<f32>
    // CHECK: train.seed
    // CHECK-NEXT: %[[FIRST:.*]] = train.exp %arg0 {amp.recompute
    // CHECK-NEXT: train.mul %[[FIRST]]
    %g = train.mul %a, %seed {train.origin = #exp1_grad} : tensor<32xf32>, tensor<f32>
    // CHECK-NEXT: train.exp %arg1 {train.origin
    %b = train.exp %y {train.origin = #train.origin<"a/exp#0", part = 1, segment = "a">} : tensor<32xf32>
    %seed2 = train.seed 1.0 {train.origin = #outside} : tensor<f32>
    // CHECK: train.seed
    // CHECK-NEXT: %[[SECOND:.*]] = train.exp %arg1 {amp.recompute
    // CHECK-NEXT: train.mul %[[SECOND]]
    %h = train.mul %b, %seed2 {train.origin = #train.origin<"a/exp#0", stage = backward, order = 1, part = 1, segment = "a">} : tensor<32xf32>, tensor<f32>
    train.return %s, %g, %h : tensor<f32>, tensor<32xf32>, tensor<32xf32>
  }
}
