// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the split is not used.
train.model @check {
  train.param @x : tensor<3x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x3xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x7xf32>
    %p, %q = train.split %x into [4, 3] along 1 : tensor<3x7xf32>
    %r, %s, %t = train.split %p into [1, 2, 1] along 1 : tensor<3x4xf32>
    %u = train.mul %q, %r : tensor<3x3xf32>, tensor<3x1xf32>
    %y = train.mul %u, %t : tensor<3x3xf32>, tensor<3x1xf32>
    %weighted = train.mul %y, %weight : tensor<3x3xf32>, tensor<3x3xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<3x3xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
