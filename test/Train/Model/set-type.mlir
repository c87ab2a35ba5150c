// RUN: %ampc-opt %s --train-set-type=type=f64 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same model in f64. Types that regions and ops ask to compute in are unchanged.
// CHECK: train.param @w : tensor<3xf64>
// CHECK-LABEL: train.func @loss
// CHECK: %[[R:.*]] = amp.autocast f32 -> tensor<3xf64>
// CHECK: train.exp %{{.*}} : tensor<3xf64>
// CHECK: amp.yield %{{.*}} : tensor<3xf64>
// CHECK: train.step {{.*}} #train.sgd<lr = {{.*}}, moments = f32>
train.model @m {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = amp.autocast f32 -> tensor<3xf32> {
      %1 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
      %2 = train.exp %1 {compute = f32} : tensor<3xf32>
      amp.yield %2 : tensor<3xf32>
    }
    %l = train.reduce_mean %0 over [0] : tensor<3xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1, moments = f32>
}

// Products of 16 bits, whose results are in f32: the same numbers, multiplied and added up in f64.
// CHECK-LABEL: train.func @products
// CHECK: %[[A:.*]] = train.cast %{{.*}} to tensor<4x4xbf16>
// CHECK: %[[W:.*]] = train.cast %[[A]] : tensor<4x4xbf16> to tensor<4x4xf64>
// CHECK: train.matmul %[[W]], %{{.*}} : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
// CHECK: train.conv2d {{.*}} : (tensor<1x4x4x1xf64>, tensor<1x1x1x1xf64>) -> tensor<1x4x4x1xf64>
// CHECK: train.attention %{{.*}} -> tensor<4x4xf64>, tensor<2x4xf64>
// CHECK: train.attention %[[A]], %[[A]], %[[A]] : tensor<4x4xbf16>
// CHECK: train.linear %[[A]], %[[A]] : tensor<4x4xbf16>, tensor<4x4xbf16>
train.model @narrow {
  train.func @products(%x: tensor<4x4xf32>, %f: tensor<1x1x1x1xf32>) -> (tensor<4x4xf32>, tensor<1x4x4x1xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xbf16>, tensor<4x4xbf16>) {
    %a = train.cast %x : tensor<4x4xf32> to tensor<4x4xbf16>
    %0 = train.matmul %a, %a : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
    %i = train.reshape %a : tensor<4x4xbf16> to tensor<1x4x4x1xbf16>
    %g = train.cast %f : tensor<1x1x1x1xf32> to tensor<1x1x1x1xbf16>
    %1 = train.conv2d %i, %g strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : (tensor<1x4x4x1xbf16>, tensor<1x1x1x1xbf16>) -> tensor<1x4x4x1xf32>
    %2, %3 = train.attention %a, %a, %a : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xf32>, tensor<2x4xf32>
    %4 = train.attention %a, %a, %a : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>
    %5 = train.linear %a, %a : tensor<4x4xbf16>, tensor<4x4xbf16>
    train.return %0, %1, %2, %3, %4, %5 : tensor<4x4xf32>, tensor<1x4x4x1xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4x4xbf16>, tensor<4x4xbf16>
  }
}
