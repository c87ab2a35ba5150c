// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are narrower or wider than queries.
train.model @check {
  train.param @q : tensor<2x3x5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @k : tensor<2x3x9x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @narrow : tensor<2x3x9x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @wide : tensor<2x3x9x11xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @bias : tensor<3x5x9xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<2x3x5x3xf32>, %weights: tensor<2x3x5x11xf32>) -> tensor<f32> {
    %q = train.read @q
    %k = train.read @k
    %narrow = train.read @narrow
    %wide = train.read @wide
    %bias = train.read @bias
    %0 = train.attention %q, %k, %narrow causal : tensor<2x3x5x7xf32>, tensor<2x3x9x7xf32>, tensor<2x3x9x3xf32>
    %1 = train.attention %q, %k, %wide bias %bias scale 0.25 : tensor<2x3x5x7xf32>, tensor<2x3x9x7xf32>, tensor<2x3x9x11xf32>, tensor<3x5x9xf32>
    %2 = train.mul %0, %weight
    %3 = train.mul %1, %weights
    %4 = train.reduce_sum %2 over [0, 1, 2, 3]
    %5 = train.reduce_sum %3 over [0, 1, 2, 3]
    %6 = train.add %4, %5
    train.return %6 : tensor<f32>
  }
  train.step @over_all minimize @loss over [@q, @k, @narrow, @wide, @bias] with #train.sgd<lr = 0.1>
  train.step @over_values minimize @loss over [@narrow, @wide] with #train.sgd<lr = 0.1>
  train.step @over_q minimize @loss over [@q] with #train.sgd<lr = 0.1>
}
