// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Along the last, a middle, several, all and no dimensions.
train.model @check {
  train.param @x : tensor<4x7x5xf32> = #train.uniform<low = 0.5, high = 1.5>
  train.func @loss(%weight: tensor<4x7x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<4x7x5xf32>
    %none = train.reduce_log_sum %x over [] : tensor<4x7x5xf32>
    %0 = train.reduce_log_sum %x over [0, 2] : tensor<4x7x5xf32>
    %1 = train.reduce_log_sum %x over [1] : tensor<4x7x5xf32>
    %2 = train.reduce_log_sum %x over [2] : tensor<4x7x5xf32>
    %3 = train.reduce_log_sum %x over [0, 1, 2] : tensor<4x7x5xf32>
    %4 = train.reshape %1 : tensor<4x5xf32> to tensor<4x1x5xf32>
    %5 = train.reshape %2 : tensor<4x7xf32> to tensor<4x7x1xf32>
    %6 = train.add %4, %5 : tensor<4x1x5xf32>, tensor<4x7x1xf32>
    %7 = train.reshape %0 : tensor<7xf32> to tensor<7x1xf32>
    %8 = train.sub %6, %7 : tensor<4x7x5xf32>, tensor<7x1xf32>
    %9 = train.add %8, %none : tensor<4x7x5xf32>, tensor<4x7x5xf32>
    %y = train.add %9, %3 : tensor<4x7x5xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<4x7x5xf32>, tensor<4x7x5xf32>
    %total = train.reduce_sum %weighted over [0, 1, 2] : tensor<4x7x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_x minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
