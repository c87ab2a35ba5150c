// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @t : tensor<6x5xf32> = #train.uniform<low = 0.0, high = 1.0>
  train.func @loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %t = train.read @t : tensor<6x5xf32>
    %0 = train.focal %x, %t gamma 1.5 alpha 0.3 : tensor<6x5xf32>, tensor<6x5xf32>
    %1 = train.focal %x, %t gamma 1.5 alpha 0.3 reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    %2 = train.focal %x, %t gamma 1.5 alpha 0.3 reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    %3 = train.mul %0, %1 : tensor<f32>, tensor<f32>
    %y = train.add %2, %3 : tensor<6x5xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<6x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x_t minimize @loss over [@x, @t] with #train.sgd<lr = 0.1>
  train.step @over_t minimize @loss over [@t] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
