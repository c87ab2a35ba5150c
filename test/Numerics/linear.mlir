// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @x : tensor<2x3x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @w : tensor<5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x5xf32>
    %w = train.read @w : tensor<5x7xf32>
    %b = train.read @b : tensor<7xf32>
    %y = train.linear %x, %w, %b : tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<7xf32>
    %weighted = train.mul %y, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x_w_b minimize @loss over [@x, @w, @b] with #train.sgd<lr = 0.1>
  train.step @over_w_b minimize @loss over [@w, @b] with #train.sgd<lr = 0.1>
  train.step @over_x_b minimize @loss over [@x, @b] with #train.sgd<lr = 0.1>
  train.step @over_b minimize @loss over [@b] with #train.sgd<lr = 0.1>
  train.step @over_x_w minimize @loss over [@x, @w] with #train.sgd<lr = 0.1>
  train.step @over_w minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
