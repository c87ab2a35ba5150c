// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<5x2x2x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @gamma : tensor<3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @beta : tensor<3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.buffer @mean : tensor<3xf32> = #train.zeros
  train.buffer @variance : tensor<3xf32> = #train.ones
  train.func @loss(%weight: tensor<5x2x2x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<5x2x2x3xf32>
    %gamma = train.read @gamma : tensor<3xf32>
    %beta = train.read @beta : tensor<3xf32>
    %y = train.batch_norm %x, %gamma, %beta running @mean, @variance momentum 0.1 eps 1.0e-3 : tensor<5x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>
    %weighted = train.mul %y, %weight : tensor<5x2x2x3xf32>, tensor<5x2x2x3xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2, 3] : tensor<5x2x2x3xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x_gamma_beta minimize @loss over [@x, @gamma, @beta] with #train.sgd<lr = 0.1>
  train.step @over_gamma_beta minimize @loss over [@gamma, @beta] with #train.sgd<lr = 0.1>
  train.step @over_x_beta minimize @loss over [@x, @beta] with #train.sgd<lr = 0.1>
  train.step @over_beta minimize @loss over [@beta] with #train.sgd<lr = 0.1>
  train.step @over_x_gamma minimize @loss over [@x, @gamma] with #train.sgd<lr = 0.1>
  train.step @over_gamma minimize @loss over [@gamma] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
