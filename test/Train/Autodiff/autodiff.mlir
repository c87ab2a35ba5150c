// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @line {
  train.param @w : tensor<3x2xf32> = #train.kaiming_uniform
  train.param @b : tensor<2xf32> = #train.zeros
  train.func @loss(%x: tensor<8x3xf32>, %y: tensor<8x2xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3x2xf32>
    %b = train.read @b : tensor<2xf32>
    %0 = train.matmul %x, %w : (tensor<8x3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
    %1 = train.add %0, %b : tensor<8x2xf32>, tensor<2xf32>
    %2 = train.sub %1, %y : tensor<8x2xf32>, tensor<8x2xf32>
    %3 = train.square %2 : tensor<8x2xf32>
    %4 = train.reduce_sum %3 over [0, 1] : tensor<8x2xf32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.1>
}

// Gradients for parameters only: none for x or y, and the bias gradient sums over the broadcast dimensions.
// CHECK-LABEL: train.func @fit.grad
// CHECK-SAME:  [[W:%[a-z0-9]+]]: tensor<3x2xf32> {train.is = #train.state<@w>}, [[B:%[a-z0-9]+]]: tensor<2xf32> {train.is = #train.state<@b>}, [[X:%[a-z0-9]+]]: tensor<8x3xf32> {train.is = #train.input<"x", batch = 0>}
// CHECK-SAME:  -> (tensor<f32> {train.is = #train.output<loss>}, tensor<3x2xf32> {train.is = #train.gradient<@w>}, tensor<2xf32> {train.is = #train.gradient<@b>})
// CHECK:       [[D:%[a-z0-9]+]] = train.sub
// CHECK:       [[L:%[a-z0-9]+]] = train.reduce_sum
// CHECK-NEXT:  [[S:%[a-z0-9]+]] = train.seed 1.000000e+00
// CHECK:       train.mul
// CHECK-NEXT:  [[G:%[a-z0-9]+]] = train.mul
// CHECK-NEXT:  [[DB:%[a-z0-9]+]] = train.reduce_sum [[G]] over [0]
// CHECK-NEXT:  [[DW:%[a-z0-9]+]] = train.matmul [[X]], [[G]] transpose_lhs
// CHECK-NEXT:  train.gradient @w, [[DW]]
// CHECK-NEXT:  train.gradient @b, [[DB]]

// A product of a matrix with the same matrix transposed: a single product backward, with the cotangent plus the transposed cotangent.
train.model @gram {
  train.param @w : tensor<4x3x5xf32> = #train.kaiming_uniform
  train.func @loss(%y: tensor<4x3x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x3x5xf32>
    %0 = train.matmul %w, %w transpose_rhs : (tensor<4x3x5xf32>, tensor<4x3x5xf32>) -> tensor<4x3x3xf32>
    %1 = train.mul %0, %y : tensor<4x3x3xf32>, tensor<4x3x3xf32>
    %2 = train.reduce_sum %1 over [0, 1, 2] : tensor<4x3x3xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.model @gram
// CHECK-LABEL: train.func @fit.grad
// CHECK:       train.seed
// CHECK:       [[C:%[a-z0-9]+]] = train.mul
// CHECK-NEXT:  [[T:%[a-z0-9]+]] = train.transpose [[C]] [0, 2, 1]
// CHECK-NEXT:  [[B:%[a-z0-9]+]] = train.add [[C]], [[T]]
// CHECK-NEXT:  [[D:%[a-z0-9]+]] = train.matmul [[B]], %{{[a-z0-9]+}} : (tensor<4x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
// CHECK-NEXT:  train.gradient @w, [[D]]
