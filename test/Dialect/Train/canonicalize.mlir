// RUN: %ampc-opt %s --canonicalize | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @ops {
  // CHECK-LABEL: train.func @powers
  // CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
  train.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %two = train.constant dense<2.0> : tensor<f32>
    %one = train.constant dense<1.0> : tensor<f32>
    %half = train.constant dense<0.5> : tensor<f32>
    %less = train.constant dense<-0.5> : tensor<f32>
    %minus = train.constant dense<-1.0> : tensor<f32>
    %three = train.constant dense<3.0> : tensor<f32>
    // CHECK: %[[C:.*]] = train.constant dense<3.000000e+00>
    // CHECK-DAG: %[[A:.*]] = train.square %[[X]]
    // CHECK-DAG: %[[S:.*]] = train.sqrt %[[X]]
    // CHECK-DAG: %[[R:.*]] = train.rsqrt %[[X]]
    // CHECK-DAG: %[[Q:.*]] = train.reciprocal %[[X]]
    // CHECK-DAG: %[[P:.*]] = train.pow %[[X]], %[[C]]
    // CHECK: train.return %[[A]], %[[X]], %[[S]], %[[R]], %[[Q]], %[[P]]
    %0 = train.pow %x, %two : tensor<4xf32>, tensor<f32>
    %1 = train.pow %x, %one : tensor<4xf32>, tensor<f32>
    %2 = train.pow %x, %half : tensor<4xf32>, tensor<f32>
    %3 = train.pow %x, %less : tensor<4xf32>, tensor<f32>
    %4 = train.pow %x, %minus : tensor<4xf32>, tensor<f32>
    %5 = train.pow %x, %three : tensor<4xf32>, tensor<f32>
    train.return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }

  // CHECK-LABEL: train.func @nothing
  // CHECK-NEXT: train.return %arg0
  train.func @nothing(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = train.slice %x from [0, 0] sizes [4, 8] strides [1, 1] : tensor<4x8xf32>
    %1 = train.pad %0 value 0.0 low [0, 0] high [0, 0] interior [0, 0] : tensor<4x8xf32>
    %2 = train.concat %1 along 0 : tensor<4x8xf32>
    %3 = train.dropout %2 rate 0.0 : tensor<4x8xf32>
    %4 = train.transpose %3 [1, 0] : tensor<4x8xf32>
    %5 = train.transpose %4 [1, 0] : tensor<8x4xf32>
    %6 = train.reshape %5 : tensor<4x8xf32> to tensor<32xf32>
    %7 = train.reshape %6 : tensor<32xf32> to tensor<4x8xf32>
    %8 = train.broadcast_to %7 : tensor<4x8xf32> to tensor<4x8xf32>
    %9 = train.cast %8 : tensor<4x8xf32> to tensor<4x8xf32>
    train.return %9 : tensor<4x8xf32>
  }

  // Two transposes become one.
  // CHECK-LABEL: train.func @transposes
  // CHECK-NEXT: train.transpose %arg0 [2, 1, 0]
  train.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
    %0 = train.transpose %x [1, 2, 0] : tensor<2x3x4xf32>
    %1 = train.transpose %0 [1, 0, 2] : tensor<3x4x2xf32>
    train.return %1 : tensor<4x3x2xf32>
  }

  // A pair of casts may round.
  // CHECK-LABEL: train.func @casts
  // CHECK-COUNT-2: train.cast
  train.func @casts(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = train.cast %x : tensor<4xf32> to tensor<4xbf16>
    %1 = train.cast %0 : tensor<4xbf16> to tensor<4xf32>
    train.return %1 : tensor<4xf32>
  }

  // CHECK-LABEL: train.func @batch
  // CHECK: %[[F:.*]] = train.reshape %arg0 : tensor<4x8x16xf32> to tensor<32x16xf32>
  // CHECK: %[[M:.*]] = train.matmul %[[F]], %arg1 : (tensor<32x16xf32>, tensor<16x5xf32>) -> tensor<32x5xf32>
  // CHECK: train.reshape %[[M]] : tensor<32x5xf32> to tensor<4x8x5xf32>
  train.func @batch(%x: tensor<4x8x16xf32>, %w: tensor<16x5xf32>) -> tensor<4x8x5xf32> {
    %0 = train.matmul %x, %w : (tensor<4x8x16xf32>, tensor<16x5xf32>) -> tensor<4x8x5xf32>
    train.return %0 : tensor<4x8x5xf32>
  }

  // The sum in the adjoint of a split is a concatenation, in any order; parts that overlap or leave out elements are not.
  // CHECK-LABEL: train.func @sum_of_parts(
  // CHECK-SAME:  %[[A:.*]]: tensor<4x3xf32> {{.*}}, %[[B:.*]]: tensor<4x5xf32>
  train.func @sum_of_parts(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) -> (tensor<4x11xf32>, tensor<4x8xf32>, tensor<4x12xf32>) {
    %0 = train.pad %a value 0.0 low [0, 5] high [0, 3] interior [0, 0] : tensor<4x3xf32>
    %1 = train.pad %b value 0.0 low [0, 0] high [0, 6] interior [0, 0] : tensor<4x5xf32>
    %2 = train.pad %a value 0.0 low [0, 8] high [0, 0] interior [0, 0] : tensor<4x3xf32>
    %3 = train.add %0, %1 : tensor<4x11xf32>, tensor<4x11xf32>
    // CHECK-NEXT: %[[ALL:.*]] = train.concat %[[B]], %[[A]], %[[A]] along 1
    %4 = train.add %3, %2 : tensor<4x11xf32>, tensor<4x11xf32>
    %5 = train.pad %a value 0.0 low [0, 4] high [0, 1] interior [0, 0] : tensor<4x3xf32>
    %6 = train.pad %b value 0.0 low [0, 0] high [0, 3] interior [0, 0] : tensor<4x5xf32>
    // CHECK: %[[OVERLAP:.*]] = train.add
    %7 = train.add %5, %6 : tensor<4x8xf32>, tensor<4x8xf32>
    %8 = train.pad %a value 0.0 low [0, 9] high [0, 0] interior [0, 0] : tensor<4x3xf32>
    %9 = train.pad %b value 0.0 low [0, 0] high [0, 7] interior [0, 0] : tensor<4x5xf32>
    // CHECK: %[[GAP:.*]] = train.add
    %10 = train.add %8, %9 : tensor<4x12xf32>, tensor<4x12xf32>
    // CHECK: train.return %[[ALL]], %[[OVERLAP]], %[[GAP]]
    train.return %4, %7, %10 : tensor<4x11xf32>, tensor<4x8xf32>, tensor<4x12xf32>
  }

  // A value that is split twice, beside another summand: each split is a concatenation.
  // CHECK-LABEL: train.func @sum_of_splits(
  // CHECK-SAME:  %[[A:.*]]: tensor<4x3xf32> {{.*}}, %[[B:.*]]: tensor<4x5xf32> {{.*}}, %[[H:.*]]: tensor<4x8xf32>
  train.func @sum_of_splits(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>, %h: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = train.pad %a value 0.0 low [0, 0] high [0, 5] interior [0, 0] : tensor<4x3xf32>
    %1 = train.pad %b value 0.0 low [0, 3] high [0, 0] interior [0, 0] : tensor<4x5xf32>
    %2 = train.pad %b value 0.0 low [0, 0] high [0, 3] interior [0, 0] : tensor<4x5xf32>
    %3 = train.pad %a value 0.0 low [0, 5] high [0, 0] interior [0, 0] : tensor<4x3xf32>
    // CHECK: %[[FIRST:.*]] = train.concat %[[A]], %[[B]] along 1
    %4 = train.add %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
    // CHECK-NEXT: %[[SECOND:.*]] = train.concat %[[B]], %[[A]] along 1
    %5 = train.add %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
    // CHECK-NEXT: %[[BOTH:.*]] = train.add %[[FIRST]], %[[SECOND]]
    %6 = train.add %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>
    // CHECK-NEXT: %[[SUM:.*]] = train.add %[[H]], %[[BOTH]]
    %7 = train.add %h, %6 : tensor<4x8xf32>, tensor<4x8xf32>
    // A sum with another summand between the parts is no concatenation.
    // CHECK: %[[BETWEEN:.*]] = train.add %{{.*}}, %[[H]]
    // CHECK-NEXT: %[[MIXED:.*]] = train.add %[[BETWEEN]], %{{.*}}
    %8 = train.add %0, %h : tensor<4x8xf32>, tensor<4x8xf32>
    %9 = train.add %8, %1 : tensor<4x8xf32>, tensor<4x8xf32>
    // CHECK-NEXT: train.return %[[SUM]], %[[MIXED]]
    train.return %7, %9 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // CHECK-LABEL: train.func @no_bias_gradient
  train.func @no_bias_gradient(%q: tensor<2x5x4xf32>, %bias: tensor<5x5xf32>, %lse: tensor<2x2x5xf32>) -> tensor<2x5x4xf32> {
    // CHECK-NEXT: %{{.*}}, %{{.*}}, %[[DV:[a-z0-9_]*]] = train.attention_grad {{.*}} -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>)
    %dq, %dk, %dv, %db = train.attention_grad %q, %q, %q bias %bias from %q, %lse, %q
      : (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<5x5xf32>, tensor<2x5x4xf32>, tensor<2x2x5xf32>, tensor<2x5x4xf32>)
      -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x5xf32>)
    // CHECK-NEXT: train.return %[[DV]]
    train.return %dv : tensor<2x5x4xf32>
  }

  // A product reads the operand of a transposed matrix; a transposition of more dimensions stays.
  // CHECK-LABEL: train.func @products
  // CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32> {{.*}}, %[[E:.*]]: tensor<5x8xf32> {{.*}}, %[[B:.*]]: tensor<3x5x8xf32> {{.*}})
  train.func @products(%x: tensor<4x8xf32>, %e: tensor<5x8xf32>, %b: tensor<3x5x8xf32>) -> (tensor<4x5xf32>, tensor<4x4xf32>, tensor<3x5x5xf32>) {
    // CHECK-DAG: %[[Y:.*]] = train.matmul %[[X]], %[[E]] transpose_rhs : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
    // CHECK: train.matmul %[[X]], %[[X]] transpose_rhs
    // CHECK: %[[T:.*]] = train.transpose %[[B]]
    // CHECK: train.matmul %[[B]], %[[T]]
    %0 = train.transpose %e [1, 0] : tensor<5x8xf32>
    %1 = train.matmul %x, %0 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
    %2 = train.transpose %x [1, 0] : tensor<4x8xf32>
    %3 = train.matmul %2, %2 transpose_lhs : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %4 = train.transpose %b [0, 2, 1] : tensor<3x5x8xf32>
    %5 = train.matmul %b, %4 : (tensor<3x5x8xf32>, tensor<3x8x5xf32>) -> tensor<3x5x5xf32>
    train.return %1, %3, %5 : tensor<4x5xf32>, tensor<4x4xf32>, tensor<3x5x5xf32>
  }
}
