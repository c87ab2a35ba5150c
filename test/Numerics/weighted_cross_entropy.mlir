// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes and distributions, every reduction.
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @t : tensor<6x5xf32> = #train.uniform<low = 0.1, high = 1.0>
  train.buffer @w : tensor<5xf32> = #train.uniform<low = 0.5, high = 2.0>
  train.func @loss(%l: tensor<6xi32>, %weight: tensor<6xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %w = train.read @w : tensor<5xf32>
    %0 = train.weighted_cross_entropy %x, %l, %w : tensor<6x5xf32>, tensor<6xi32>, tensor<5xf32>
    %1 = train.weighted_cross_entropy %x, %l, %w reduce sum ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>, tensor<5xf32>
    %2 = train.weighted_cross_entropy %x, %l, %w ignore 1 : tensor<6x5xf32>, tensor<6xi32>, tensor<5xf32>
    %3 = train.weighted_cross_entropy %x, %t, %w smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5xf32>
    %4 = train.weighted_cross_entropy %x, %t, %w reduce none : tensor<6x5xf32>, tensor<6x5xf32>, tensor<5xf32>
    %5 = train.mul %0, %1 : tensor<f32>, tensor<f32>
    %6 = train.mul %2, %3 : tensor<f32>, tensor<f32>
    %7 = train.add %5, %6 : tensor<f32>, tensor<f32>
    %y = train.add %4, %7 : tensor<6xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<6xf32>, tensor<6xf32>
    %total = train.reduce_sum %weighted over [0] : tensor<6xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x_t minimize @loss over [@x, @t] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
