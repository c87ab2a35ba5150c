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

  // Two transposes are one.
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
}
