// Every micro-batch has the same types and keeps the same values: a forward pass behind a backward pass still counts as a forward pass.
// RUN: ampc compile %s --precision=f16 --compile-to=recompute | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK-LABEL: train.func @fit.train
// CHECK: train.matmul %[[Q:.*]], %[[Q]] transpose_rhs {{.*}}no bound is known for these scores
// CHECK: train.mse
// CHECK: train.abs {{.*}}amp.recompute
// CHECK: train.matmul %[[R:.*]], %[[R]] transpose_rhs {{.*}}no bound is known for these scores
// CHECK: train.mse
// CHECK: train.abs {{.*}}amp.recompute
train.model @scores {
  train.param @w : tensor<8x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<4x4x8xf32>, %y: tensor<4x4x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x8xf32>
    %h = train.matmul %x, %w : (tensor<4x4x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8xf32>
    %q = train.abs %h : tensor<4x4x8xf32>
    %s = train.matmul %q, %q transpose_rhs : (tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x4x4xf32>
    %p = train.softmax %s : tensor<4x4x4xf32>
    %o = train.matmul %p, %q : (tensor<4x4x4xf32>, tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
    %l = train.mse %o, %y : tensor<4x4x8xf32>, tensor<4x4x8xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
}
