// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every reduction, with and without a class that does not count.
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%l: tensor<6xi32>, %weight: tensor<6xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %0 = train.nll %x, %l : tensor<6x5xf32>, tensor<6xi32>
    %1 = train.nll %x, %l reduce sum ignore 2 : tensor<6x5xf32>, tensor<6xi32>
    %2 = train.nll %x, %l ignore 1 : tensor<6x5xf32>, tensor<6xi32>
    %3 = train.nll %x, %l reduce none : tensor<6x5xf32>, tensor<6xi32>
    %4 = train.mul %0, %1 : tensor<f32>, tensor<f32>
    %5 = train.add %4, %2 : tensor<f32>, tensor<f32>
    %y = train.add %3, %5 : tensor<6xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<6xf32>, tensor<6xf32>
    %total = train.reduce_sum %weighted over [0] : tensor<6xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
