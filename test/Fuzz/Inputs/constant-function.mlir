// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<4xf32> = #train.kaiming_uniform<fan_in = 4>
  train.func @loss0(%x: tensor<16x3xf32>) -> tensor<f32> {
    %0 = train.constant dense<-2.656250e-01> : tensor<f32>
    %1 = train.constant dense<9.843750e-01> : tensor<f32>
    %2 = train.add %0, %1 : tensor<f32>, tensor<f32>
    %3 = train.reduce_mean %x over [0, 1] : tensor<16x3xf32>
    %4 = train.tanh %2 : tensor<f32>
    %5 = train.add %3, %4 : tensor<f32>, tensor<f32>
    %6 = train.read @w0 : tensor<4xf32>
    %7 = train.reduce_mean %6 over [0] : tensor<4xf32>
    %8 = train.add %5, %7 : tensor<f32>, tensor<f32>
    train.return %8 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.rowwise_adagrad<lr = 1.000000e-02>
}
