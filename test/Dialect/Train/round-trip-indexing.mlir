// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @ops
train.model @ops {
  // CHECK-LABEL: train.func @indexing
  train.func @indexing(%x: f32[4, 8], %u: f32[4, 3], %i: i64[4, 3], %j: i32[4, 3], %w: f32[4, 3], %b: i32[5], %k: i32[5]) {
    // CHECK: train.take_along_axis %{{.*}} at %{{.*}} along 1 from_end : tensor<4x8xf32>, tensor<4x3xi64>
    %0 = train.take_along_axis %x at %i along 1 from_end
    // CHECK: train.add_along_axis %{{.*}} at %{{.*}} along 1 of 8 : tensor<4x3xf32>, tensor<4x3xi32>
    %1 = train.add_along_axis %u at %j along 1 of 8
    // CHECK: train.scatter max %{{.*}} at %{{.*}} into %{{.*}} along 1 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<4x8xf32>
    %2 = train.scatter max %u at %i into %x along 1
    // CHECK: train.argsort %{{.*}} below 9 : tensor<4x3xi32>
    %3 = train.argsort %j below 9
    // CHECK: train.sort %{{.*}} along 0 descending : tensor<4x8xf32>
    %4, %5 = train.sort %x along 0 descending
    // CHECK: train.top_k %{{.*}} of 3 along 1 smallest : tensor<4x8xf32>
    %6, %7 = train.top_k %x of 3 along 1 smallest
    // CHECK: train.embedding_bag sum %{{.*}} at %{{.*}} weights %{{.*}} padding 1 from_end : tensor<4x8xf32>, tensor<4x3xi64>, tensor<4x3xf32>
    %8 = train.embedding_bag sum %x at %i weights %w padding 1 from_end
    // CHECK: train.embedding_bag max %{{.*}} at %{{.*}} bags %{{.*}} of 6 : tensor<4x8xf32>, tensor<5xi32>, tensor<5xi32>
    %9 = train.embedding_bag max %x at %b bags %k of 6
    // CHECK: train.pad_mode reflect %{{.*}} low [0, -1] high [2, 3] : tensor<4x8xf32>
    %10 = train.pad_mode reflect %x low [0, -1] high [2, 3]
    // CHECK: train.pad_mode constant %{{.*}} low [0, -1] high [2, 3] value 1.500000e+00 : tensor<4x8xf32>
    %11 = train.pad_mode constant %x low [0, -1] high [2, 3] value 1.5
    // CHECK: train.strided_slice %{{.*}} from [3, 0] sizes [2, 8] strides [-2, 1] : tensor<4x8xf32>
    %12 = train.strided_slice %x from [3, 0] sizes [2, 8] strides [-2, 1]
    // CHECK: train.resize cubic %{{.*}} to [4, 16] scales [1.000000e+00, 2.000000e+00] coordinates asymmetric coefficient -5.000000e-01 antialias : tensor<4x8xf32>
    %13 = train.resize cubic %x to [4, 16] scales [1.0, 2.0] coordinates asymmetric coefficient -0.5 antialias
    train.return
  }
}
