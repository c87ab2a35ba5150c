// The adjoint of the adjoint, for every result.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<2x3x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @gamma : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<2x3x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%a: tensor<2x3x7xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x7xf32>
    %gamma = train.read @gamma : tensor<7xf32>
    %g = train.read @g : tensor<2x3x7xf32>
    %dx, %mean, %scale = train.layer_norm_grad %x, %gamma, %g eps 1.0e-1 : tensor<2x3x7xf32>, tensor<7xf32>, tensor<2x3x7xf32>
    %0 = train.mul %dx, %a : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %1 = train.mul %mean, %b : tensor<2x3xf32>, tensor<2x3xf32>
    %2 = train.mul %scale, %c : tensor<2x3xf32>, tensor<2x3xf32>
    %3 = train.reduce_sum %0 over [0, 1, 2] : tensor<2x3x7xf32>
    %4 = train.reduce_sum %1 over [0, 1] : tensor<2x3xf32>
    %5 = train.reduce_sum %2 over [0, 1] : tensor<2x3xf32>
    %6 = train.add %3, %4 : tensor<f32>, tensor<f32>
    %7 = train.add %6, %5 : tensor<f32>, tensor<f32>
    train.return %7 : tensor<f32>
  }
  train.func @statistics(%b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x7xf32>
    %gamma = train.read @gamma : tensor<7xf32>
    %dx, %mean, %scale = train.layer_norm_grad %x, %gamma, %x eps 1.0e-1 : tensor<2x3x7xf32>, tensor<7xf32>, tensor<2x3x7xf32>
    %1 = train.mul %mean, %b : tensor<2x3xf32>, tensor<2x3xf32>
    %2 = train.mul %scale, %c : tensor<2x3xf32>, tensor<2x3xf32>
    %3 = train.mul %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>
    %4 = train.reduce_sum %3 over [0, 1] : tensor<2x3xf32>
    train.return %4 : tensor<f32>
  }
  train.step @over_x_gamma_g minimize @loss over [@x, @gamma, @g] with #train.sgd<lr = 0.1>
  train.step @over_gamma_g minimize @loss over [@gamma, @g] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
  train.step @of_statistics minimize @statistics over [@x] with #train.sgd<lr = 0.1>
}
