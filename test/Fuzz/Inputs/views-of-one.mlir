// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<4xf32> = #train.kaiming_uniform<fan_in = 4>
  train.func @loss0(%arg0: tensor<4xf32> {train.is = #train.input<"x0">}, %arg1: tensor<f32> {train.is = #train.input<"x1">}) -> tensor<f32> {
    %0 = train.read @w0 : tensor<4xf32>
    %1 = train.maximum %arg0, %0 : tensor<4xf32>, tensor<4xf32>
    %2 = train.constant dense<true> : tensor<9x33x1xi1>
    %3 = train.select %2, %1, %arg1 : tensor<9x33x1xi1>, tensor<4xf32>, tensor<f32>
    %4 = train.constant dense<1.000000e+00> : tensor<f32>
    %5 = train.tanh %3 : tensor<9x33x4xf32>
    %6 = train.reduce_mean %5 over [0, 1, 2] : tensor<9x33x4xf32>
    %7 = train.add %4, %6 : tensor<f32>, tensor<f32>
    train.return %7 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.rowwise_adagrad<lr = 5.112130e-01, weight_decay = 1.000000e-08>
}
