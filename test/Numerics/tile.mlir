// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<3x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<6x5xf32>, %other: tensor<9x20xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x5xf32>
    %0 = train.tile %x times [2, 1] : tensor<3x5xf32>
    %1 = train.tile %x times [3, 4] : tensor<3x5xf32>
    %a = train.mul %0, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %b = train.mul %1, %other : tensor<9x20xf32>, tensor<9x20xf32>
    %c = train.reduce_sum %a over [0, 1] : tensor<6x5xf32>
    %d = train.reduce_sum %b over [0, 1] : tensor<9x20xf32>
    %total = train.add %c, %d : tensor<f32>, tensor<f32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
