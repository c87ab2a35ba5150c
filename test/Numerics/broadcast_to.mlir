// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<3x1xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x1xf32>
    %0 = train.broadcast_to %x : tensor<3x1xf32> to tensor<4x3x5xf32>
    %y = train.sin %0 : tensor<4x3x5xf32>
    %weighted = train.mul %y, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
