// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @a : tensor<4x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<4x5xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<4x5xf32>
    %b = train.read @b : tensor<5xf32>
    %zero = train.constant dense<0.0> : tensor<f32>
    %c = train.compare gt %a, %zero : tensor<4x5xf32>, tensor<f32>
    %d = train.compare gt %b, %zero : tensor<5xf32>, tensor<f32>
    %e = train.logical_and %c, %d : tensor<4x5xi1>, tensor<5xi1>
    %y = train.select %e, %a, %b : tensor<4x5xi1>, tensor<4x5xf32>, tensor<5xf32>
    %weighted = train.mul %y, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<4x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_a_b minimize @loss over [@a, @b] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
}
