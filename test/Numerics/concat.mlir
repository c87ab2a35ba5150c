// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @a : tensor<3x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<3x2xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : tensor<3x1xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x7xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<3x2xf32>
    %c = train.read @c : tensor<3x1xf32>
    %0 = train.concat %a, %b, %c along 1 : tensor<3x4xf32>, tensor<3x2xf32>, tensor<3x1xf32>
    %y = train.sin %0 : tensor<3x7xf32>
    %weighted = train.mul %y, %weight : tensor<3x7xf32>, tensor<3x7xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<3x7xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_a_b_c minimize @loss over [@a, @b, @c] with #train.sgd<lr = 0.1>
  train.step @over_b_c minimize @loss over [@b, @c] with #train.sgd<lr = 0.1>
  train.step @over_a_c minimize @loss over [@a, @c] with #train.sgd<lr = 0.1>
  train.step @over_c minimize @loss over [@c] with #train.sgd<lr = 0.1>
  train.step @over_a_b minimize @loss over [@a, @b] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
}
