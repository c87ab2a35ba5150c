// The adjoint of the adjoint, for every result.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<5x6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @gamma : tensor<6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @g : tensor<5x6xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%a: tensor<5x6xf32>, %b: tensor<5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<5x6xf32>
    %gamma = train.read @gamma : tensor<6xf32>
    %g = train.read @g : tensor<5x6xf32>
    %dx, %scale = train.rms_norm_grad %x, %gamma, %g eps 1.0e-1 : tensor<5x6xf32>, tensor<6xf32>, tensor<5x6xf32>
    %0 = train.mul %dx, %a : tensor<5x6xf32>, tensor<5x6xf32>
    %1 = train.mul %scale, %b : tensor<5xf32>, tensor<5xf32>
    %2 = train.reduce_sum %0 over [0, 1] : tensor<5x6xf32>
    %3 = train.reduce_sum %1 over [0] : tensor<5xf32>
    %4 = train.add %2, %3 : tensor<f32>, tensor<f32>
    train.return %4 : tensor<f32>
  }
  train.step @over_x_gamma_g minimize @loss over [@x, @gamma, @g] with #train.sgd<lr = 0.1>
  train.step @over_gamma minimize @loss over [@gamma] with #train.sgd<lr = 0.1>
  train.step @over_x_g minimize @loss over [@x, @g] with #train.sgd<lr = 0.1>
}
