// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal with more keys than queries, a bias that broadcasts, and no leading dimensions.
train.model @check {
  train.param @q : tensor<2x3x5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @k : tensor<2x3x9x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @v : tensor<2x3x9x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @bias : tensor<3x5x9xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @d : tensor<5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: tensor<2x3x5x7xf32>, %weight1: tensor<2x3x5x7xf32>, %weight2: tensor<5x7xf32>) -> tensor<f32> {
    %q = train.read @q : tensor<2x3x5x7xf32>
    %k = train.read @k : tensor<2x3x9x7xf32>
    %v = train.read @v : tensor<2x3x9x7xf32>
    %bias = train.read @bias : tensor<3x5x9xf32>
    %d = train.read @d : tensor<5x7xf32>
    %y0 = train.attention %q, %k, %v causal : tensor<2x3x5x7xf32>, tensor<2x3x9x7xf32>, tensor<2x3x9x7xf32>
    %y1 = train.attention %q, %k, %v bias %bias scale 0.25 : tensor<2x3x5x7xf32>, tensor<2x3x9x7xf32>, tensor<2x3x9x7xf32>, tensor<3x5x9xf32>
    %y2 = train.attention %d, %d, %d causal : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
    %w0 = train.mul %y0, %weight0 : tensor<2x3x5x7xf32>, tensor<2x3x5x7xf32>
    %t0 = train.reduce_sum %w0 over [0, 1, 2, 3] : tensor<2x3x5x7xf32>
    %w1 = train.mul %y1, %weight1 : tensor<2x3x5x7xf32>, tensor<2x3x5x7xf32>
    %t1 = train.reduce_sum %w1 over [0, 1, 2, 3] : tensor<2x3x5x7xf32>
    %sum1 = train.add %t0, %t1 : tensor<f32>, tensor<f32>
    %w2 = train.mul %y2, %weight2 : tensor<5x7xf32>, tensor<5x7xf32>
    %t2 = train.reduce_sum %w2 over [0, 1] : tensor<5x7xf32>
    %sum2 = train.add %sum1, %t2 : tensor<f32>, tensor<f32>
    train.return %sum2 : tensor<f32>
  }
  train.step @over_all minimize @loss over [@q, @k, @v, @bias, @d] with #train.sgd<lr = 0.1>
  train.step @over_q minimize @loss over [@q] with #train.sgd<lr = 0.1>
  train.step @over_k minimize @loss over [@k] with #train.sgd<lr = 0.1>
  train.step @over_v minimize @loss over [@v] with #train.sgd<lr = 0.1>
  train.step @over_bias minimize @loss over [@bias] with #train.sgd<lr = 0.1>
  train.step @over_d minimize @loss over [@d] with #train.sgd<lr = 0.1>
}
