// RUN: ampc check %s --also=bf16,f16 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leading dimensions that broadcast: the products equal products of repeated operands, as the loss of the first step shows.
// CHECK-COUNT-1: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @a : tensor<3x1x5x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<2x4x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : tensor<3x2x7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x2x7x4xf32>) -> tensor<f32> {
    %a = train.read @a
    %b = train.read @b
    %c = train.read @c
    %0 = train.matmul %a, %b : (tensor<3x1x5x4xf32>, tensor<2x4x7xf32>) -> tensor<3x2x5x7xf32>
    %1 = train.matmul %c, %0 : (tensor<3x2x7x5xf32>, tensor<3x2x5x7xf32>) -> tensor<3x2x7x7xf32>
    %2 = train.matmul %1, %b transpose_rhs : (tensor<3x2x7x7xf32>, tensor<2x4x7xf32>) -> tensor<3x2x7x4xf32>
    %3 = train.mul %2, %weight
    %4 = train.reduce_sum %3 over [0, 1, 2, 3]
    train.return %4 : tensor<f32>
  }
  train.func @repeated() -> tensor<f32> {
    %a = train.read @a
    %b = train.read @b
    %0 = train.matmul %a, %b
    %wide_a = train.broadcast_to %a : tensor<3x1x5x4xf32> to tensor<3x2x5x4xf32>
    %wide_b = train.broadcast_to %b : tensor<2x4x7xf32> to tensor<3x2x4x7xf32>
    %1 = train.matmul %wide_a, %wide_b
    %2 = train.matmul %b, %a transpose_lhs transpose_rhs
    %3 = train.matmul %wide_b, %wide_a transpose_lhs transpose_rhs
    %4 = train.sub %0, %1
    %5 = train.sub %2, %3
    %6 = train.square %4
    %7 = train.square %5
    %8 = train.reduce_sum %6 over [0, 1, 2, 3]
    %9 = train.reduce_sum %7 over [0, 1, 2, 3]
    %10 = train.add %8, %9
    train.return %10 : tensor<f32>
  }
  train.step @values_repeated minimize @repeated over [@a] with #train.sgd<lr = 0.1>
  train.step @over_all minimize @loss over [@a, @b, @c] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
}
