// An op that the user asks to compute in 16 bits does not round the gradients of the op's parameters: the optimizer gets sums in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=f32 --precision-override 'linear=bf16' --compile-to=precision | FileCheck %s
// RUN: ampc compile %s --precision=f32 --precision-override 'linear=bf16' --policy=autocast --compile-to=precision | FileCheck %s --check-prefix=LIST

train.model @m {
  train.param @w : tensor<8x4xf32> = #train.kaiming_uniform
  train.param @b : tensor<4xf32> = #train.zeros
  train.func @loss(%x: tensor<16x8xf32>, %y: tensor<16x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x4xf32>
    %b = train.read @b : tensor<4xf32>
    %p = train.linear %x, %w, %b : tensor<16x8xf32>, tensor<8x4xf32>, tensor<4xf32>
    %l = train.mse %p, %y : tensor<16x4xf32>, tensor<16x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.func @fit.train
// CHECK: train.matmul {{.*}}the override {{.*}} : (tensor<16x8xbf16>, tensor<8x4xbf16>) -> tensor<16x4xf32>
// CHECK: train.seed
// CHECK-DAG: %[[W:.*]] = train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<16x8xbf16>, tensor<16x4xbf16>) -> tensor<8x4xf32>
// CHECK-DAG: train.gradient @w, %[[W]] {{.*}} : tensor<8x4xf32>
// CHECK-DAG: %[[B:.*]] = train.reduce_sum {{.*}} over [0] {{.*}} : tensor<16x4xf32>
// CHECK-DAG: train.gradient @b, %[[B]] {{.*}} : tensor<4xf32>

// The policy autocast rounds such gradients, as torch does in a region.
// LIST-LABEL: train.func @fit.train
// LIST: train.seed
// LIST: %[[W:.*]] = train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<16x8xbf16>, tensor<16x4xbf16>) -> tensor<8x4xf32>
// LIST: train.cast {{.*}} {{.*}}: tensor<8x4xf32> to tensor<8x4xbf16>
