// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<7xf32> = #train.xavier_normal<fan_in = 7, fan_out = 7>
  train.func @loss0() -> tensor<f32> {
    %0 = train.random_normal mean 0.0 std 1.0e-5 : tensor<16x9x9xf32>
    %2 = train.reciprocal %0 : tensor<16x9x9xf32>
    %4 = train.read @w0 : tensor<7xf32>
    %6 = train.reduce_mean %4 over [0] : tensor<7xf32>
    %8 = train.reduce_mean %2 over [0, 1, 2] : tensor<16x9x9xf32>
    %9 = train.add %6, %8 : tensor<f32>, tensor<f32>
    train.return %9 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.sgd<lr = 0.1>
}
