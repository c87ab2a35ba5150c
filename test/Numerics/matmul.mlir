// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both sides transposed or not, batched on either side and on both.
train.model @check {
  train.param @a : tensor<3x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%c: tensor<2x7x3xf32>, %weight: tensor<2x7x3xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<3x5xf32>
    %b = train.read @b : tensor<5x7xf32>
    %0 = train.matmul %a, %b : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
    %1 = train.matmul %b, %a transpose_lhs transpose_rhs : (tensor<5x7xf32>, tensor<3x5xf32>) -> tensor<7x3xf32>
    %2 = train.matmul %c, %a : (tensor<2x7x3xf32>, tensor<3x5xf32>) -> tensor<2x7x5xf32>
    %3 = train.matmul %2, %b : (tensor<2x7x5xf32>, tensor<5x7xf32>) -> tensor<2x7x7xf32>
    %4 = train.matmul %3, %c : (tensor<2x7x7xf32>, tensor<2x7x3xf32>) -> tensor<2x7x3xf32>
    %5 = train.matmul %0, %1 : (tensor<3x7xf32>, tensor<7x3xf32>) -> tensor<3x3xf32>
    %y = train.matmul %4, %5 transpose_rhs : (tensor<2x7x3xf32>, tensor<3x3xf32>) -> tensor<2x7x3xf32>
    %weighted = train.mul %y, %weight : tensor<2x7x3xf32>, tensor<2x7x3xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<2x7x3xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_a_b minimize @loss over [@a, @b] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
}
