// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No gradient passes through u, but differences move u: after many iterations the derivative by u is 0. The
// product of a row and a column has a single singular value that is not 0, found in one iteration.
train.model @check {
  train.param @x : tensor<4x3x2xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @row : tensor<1x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @column : tensor<5x1xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%u: tensor<3xf32>, %v: tensor<7xf32>, %weight: tensor<4x3x2xf32>, %other: tensor<5x7xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<4x3x2xf32>
    %y, %u1 = train.spectral_norm %x, %u along 1 iterations 100 : tensor<4x3x2xf32>, tensor<3xf32>
    %weighted = train.mul %y, %weight : tensor<4x3x2xf32>, tensor<4x3x2xf32>
    %0 = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x3x2xf32>
    %row = train.read @row : tensor<1x7xf32>
    %column = train.read @column : tensor<5x1xf32>
    %outer = train.mul %row, %column : tensor<1x7xf32>, tensor<5x1xf32>
    %z, %v1 = train.spectral_norm %outer, %v along 1 eps 0.25 : tensor<5x7xf32>, tensor<7xf32>
    %again, %v2 = train.spectral_norm %outer, %v1 along 1 iterations 0 eps 1.0e-30 : tensor<5x7xf32>, tensor<7xf32>
    %both = train.add %z, %again : tensor<5x7xf32>, tensor<5x7xf32>
    %scaled, %v3 = train.spectral_norm %other, %v along 1 iterations 0 eps 4.0e+3 : tensor<5x7xf32>, tensor<7xf32>
    %others = train.mul %both, %scaled : tensor<5x7xf32>, tensor<5x7xf32>
    %1 = train.reduce_sum %others over [0, 1] : tensor<5x7xf32>
    %total = train.add %0, %1 : tensor<f32>, tensor<f32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x, @row, @column] with #train.sgd<lr = 0.1>
}
