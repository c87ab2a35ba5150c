// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @ops
train.model @ops {
  // CHECK-LABEL: train.func @windows
  train.func @windows(%s: f32[2, 9, 4], %a: f32[6, 3, 2], %i: f32[2, 5, 6, 6], %b: f32[6, 3, 3, 2], %v: f32[2, 4, 5, 6, 3], %c: f32[4, 2, 3, 3, 3]) {
    // CHECK: train.conv1d %{{.*}}, %{{.*}} strides [2] padding [1, 1] dilations [3] groups 2 : tensor<2x9x4xf32>, tensor<6x3x2xf32>
    %0 = train.conv1d %s, %a strides [2] padding [1, 1] dilations [3] groups 2
    // CHECK: train.conv3d %{{.*}}, %{{.*}} strides [1, 1, 1] padding [0, 0, 1, 1, 1, 1] : tensor<2x4x5x6x3xf32>, tensor<4x2x3x3x3xf32>
    %1 = train.conv3d %v, %c strides [1, 1, 1] padding [0, 0, 1, 1, 1, 1]
    // CHECK: train.conv_transpose %{{.*}}, %{{.*}} strides [2, 2] padding [1, 1, 0, 0] groups 3 output_padding [1, 0] : tensor<2x5x6x6xf32>, tensor<6x3x3x2xf32>
    %2 = train.conv_transpose %i, %b strides [2, 2] padding [1, 1, 0, 0] groups 3 output_padding [1, 0]
    // CHECK: train.pool mean %{{.*}} window [2, 3, 1] strides [2, 2, 1] padding [0, 0, 1, 1, 0, 0] ceil exclude_padding : tensor<2x4x5x6x3xf32>
    %3 = train.pool mean %v window [2, 3, 1] strides [2, 2, 1] padding [0, 0, 1, 1, 0, 0] ceil exclude_padding
    // CHECK: train.pool max %{{.*}} window [3] strides [1] padding [0, 0] dilations [2] : tensor<2x9x4xf32>
    %4 = train.pool max %s window [3] strides [1] padding [0, 0] dilations [2]
    // CHECK: train.adaptive_pool sum %{{.*}} to [2, 3] : tensor<2x5x6x6xf32>
    %5 = train.adaptive_pool sum %i to [2, 3]
    // CHECK: train.einsum "nlc,klm->nm" %{{.*}}, %{{.*}} : tensor<2x9x4xf32>, tensor<6x9x2xf32>
    %6 = train.constant dense<1.0> : tensor<6x9x2xf32>
    %7 = train.einsum "nlc,klm->nm" %s, %6
    // CHECK: train.return {{.*}} : tensor<2x3x6xf32>, tensor<2x3x5x6x4xf32>, tensor<2x10x13x6xf32>, tensor<2x2x3x6x3xf32>, tensor<2x5x4xf32>, tensor<2x2x3x6xf32>, tensor<2x2xf32>
    train.return %0, %1, %2, %3, %4, %5, %7
  }
}
