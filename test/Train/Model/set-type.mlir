// RUN: %ampc-opt %s --train-set-type=type=f64 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same model in f64. Types that regions and ops ask to compute in stay what they are.
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
