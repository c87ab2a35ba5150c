// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @u : tensor<9x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: tensor<9xi32>, %weight: tensor<4x5xf32>) -> tensor<f32> {
    %u = train.read @u : tensor<9x5xf32>
    %0 = train.scatter_add %u at %i : tensor<9x5xf32>, tensor<9xi32> to tensor<4x5xf32>
    %y = train.sin %0 : tensor<4x5xf32>
    %weighted = train.mul %y, %weight : tensor<4x5xf32>, tensor<4x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<4x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_u minimize @loss over [@u] with #train.sgd<lr = 0.1>
}
