// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Along both dimensions, with each of the attributes.
train.model @check {
  train.param @x : tensor<4x7xf32> = #train.uniform<low = 0.5, high = 1.5>
  train.func @loss(%weight: tensor<4x7xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<4x7xf32>
    %0 = train.cumprod %x along 1 : tensor<4x7xf32>
    %1 = train.cumprod %x along 0 exclusive : tensor<4x7xf32>
    %2 = train.cumprod %x along 1 reverse : tensor<4x7xf32>
    %3 = train.cumprod %x along 1 exclusive reverse : tensor<4x7xf32>
    %4 = train.sub %0, %1 : tensor<4x7xf32>, tensor<4x7xf32>
    %5 = train.mul %2, %3 : tensor<4x7xf32>, tensor<4x7xf32>
    %y = train.sub %5, %4 : tensor<4x7xf32>, tensor<4x7xf32>
    %weighted = train.mul %y, %weight : tensor<4x7xf32>, tensor<4x7xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<4x7xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
