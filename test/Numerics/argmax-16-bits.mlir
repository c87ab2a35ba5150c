// RUN: ampc compile %s --precision=bf16 --compile-to=precision | FileCheck %s
// RUN: ampc check %s --against=f32 --precision=bf16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that bf16 does not hold, of maxima that bf16 holds: positions are never rounded, whether or not the operand is.
train.model @positions {
  train.param @w : tensor<8x1000xf32> = #train.ones
  train.func @loss(%x: tensor<4x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x1000xf32>
    %ones = train.constant dense<1.0> : tensor<4x8xf32>
    %index = train.constant dense<777> : tensor<4xi32>
    %eye = train.constant dense<1.0> : tensor<4x4xf32>
    %flat = train.matmul %ones, %w : (tensor<4x8xf32>, tensor<8x1000xf32>) -> tensor<4x1000xf32>
    %onehot = train.one_hot %index : tensor<4xi32> to tensor<4x1000xf32>
    %peak = train.matmul %eye, %onehot : (tensor<4x4xf32>, tensor<4x1000xf32>) -> tensor<4x1000xf32>
    %h = train.add %flat, %peak : tensor<4x1000xf32>, tensor<4x1000xf32>
    // CHECK: train.argmax %{{.*}} : tensor<4x1000xbf16>
    // CHECK: train.reduce_max %{{.*}} over [1] {{.*}} : tensor<4x1000xf32>
    %i = train.argmax %h : tensor<4x1000xf32>
    %m = train.reduce_max %h over [1] : tensor<4x1000xf32>
    %position = train.cast %i : tensor<4xi32> to tensor<4xf32>
    %both = train.mul %position, %m : tensor<4xf32>, tensor<4xf32>
    %sum = train.reduce_sum %both over [0] : tensor<4xf32>
    train.return %sum : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.0>
}
