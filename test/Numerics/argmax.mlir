// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Picks the largest element of every row.
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %a = train.argmax %x : tensor<6x5xf32>
    %h = train.one_hot %a : tensor<6xi32> to tensor<6x5xf32>
    %y = train.mul %x, %h : tensor<6x5xf32>, tensor<6x5xf32>
    %weighted = train.mul %y, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<6x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
