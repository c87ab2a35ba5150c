// Gradients of an einsum with a diagonal: sums of 31 terms of a product of transposed tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.param @w3 : tensor<1x17x17xf32> = #train.fill<9.000000e-01>
    train.param @w2 : tensor<1x31x17xf32> = #train.xavier_uniform<fan_in = 13, fan_out = 2>
    train.func @loss1(%arg1: tensor<1x31x1xf32> {train.is = #train.input<"x3">}) -> tensor<f32> {
      %2 = train.read @w2 : tensor<1x31x17xf32>
      %3 = train.read @w3 : tensor<1x17x17xf32>
      %4 = train.einsum "...ab,...cbb,...ad->...bc" %2, %3, %arg1 : tensor<1x31x17xf32>, tensor<1x17x17xf32>, tensor<1x31x1xf32>
      %5 = train.tanh %4 : tensor<1x17x1xf32>
      %6 = train.reduce_mean %5 over [0, 1, 2] : tensor<1x17x1xf32>
      train.return %6 : tensor<f32>
    }
    train.step @fit1 minimize @loss1 over [@w2, @w3] with #train.adam<lr = 0.1>
  }
}
