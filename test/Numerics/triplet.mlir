// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @a : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @p : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @n : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<6xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<6x5xf32>
    %p = train.read @p : tensor<6x5xf32>
    %n = train.read @n : tensor<6x5xf32>
    %0 = train.triplet %a, %p, %n margin 0.8 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %1 = train.triplet %a, %p, %n margin 0.8 reduce sum : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %2 = train.triplet %a, %p, %n margin 0.8 reduce none : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %3 = train.mul %0, %1 : tensor<f32>, tensor<f32>
    %y = train.add %2, %3 : tensor<6xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<6xf32>, tensor<6xf32>
    %total = train.reduce_sum %weighted over [0] : tensor<6xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_a_p_n minimize @loss over [@a, @p, @n] with #train.sgd<lr = 0.1>
  train.step @over_n minimize @loss over [@n] with #train.sgd<lr = 0.1>
}
