// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms of both kinds, along every dimension; in the last case no vector is longer than eps.
train.model @check {
  train.param @x : tensor<3x7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<3x7x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<3x7x5xf32>
    %0 = train.normalize %x along 1 : tensor<3x7x5xf32>
    %1 = train.normalize %x along 0 p 1.0 eps 0.5 : tensor<3x7x5xf32>
    %2 = train.normalize %x along 2 p 2.0 eps 1.0e+6 : tensor<3x7x5xf32>
    %3 = train.add %0, %1 : tensor<3x7x5xf32>, tensor<3x7x5xf32>
    %y = train.add %3, %2 : tensor<3x7x5xf32>, tensor<3x7x5xf32>
    %weighted = train.mul %y, %weight : tensor<3x7x5xf32>, tensor<3x7x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<3x7x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_all minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
