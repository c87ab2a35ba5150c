// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second operand repeats along two dimensions.
train.model @check {
  train.param @a : tensor<4x3x5xf32> = #train.uniform<low = -3.0, high = 3.0>
  train.param @b : tensor<3x1xf32> = #train.uniform<low = 0.5, high = 2.0>
  train.func @loss(%weight: tensor<4x3x5xf32>) -> tensor<f32> {
    %a = train.read @a : tensor<4x3x5xf32>
    %b = train.read @b : tensor<3x1xf32>
    %y = train.fmod %a, %b : tensor<4x3x5xf32>, tensor<3x1xf32>
    %weighted = train.mul %y, %weight : tensor<4x3x5xf32>, tensor<4x3x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x3x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_a_b minimize @loss over [@a, @b] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
}
