// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of an odd and of an even number of channels, of more channels than there are, and of a single channel.
train.model @check {
  train.param @x : tensor<2x3x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<2x3x7xf32>
    %0 = train.lrn %x size 3 alpha 0.5 beta 0.3 bias 2.0 : tensor<2x3x7xf32>
    %1 = train.lrn %x size 4 alpha 0.0 bias 1.0e+4 : tensor<2x3x7xf32>
    %2 = train.lrn %x size 64 alpha 2.0 beta -0.5 : tensor<2x3x7xf32>
    %3 = train.lrn %x size 1 alpha 3.0e+4 beta 0.0 bias 1.0e-3 : tensor<2x3x7xf32>
    %4 = train.mul %0, %1 : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %5 = train.mul %2, %3 : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %6 = train.lrn %x size 1 alpha 0.0 beta 4.0e+3 : tensor<2x3x7xf32>
    %7 = train.add %4, %5 : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %y = train.add %7, %6 : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %weighted = train.mul %y, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
