// Every function of real numbers that some target might take from a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @math {
  train.param @w : tensor<8x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<4x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<8x8xf32>
    %0 = train.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = train.sigmoid %0 : tensor<4x8xf32>
    %2 = train.log %1 : tensor<4x8xf32>
    %3 = train.exp %2 : tensor<4x8xf32>
    %4 = train.erf %3 : tensor<4x8xf32>
    %5 = train.sin %4 : tensor<4x8xf32>
    %6 = train.cos %5 : tensor<4x8xf32>
    %7 = train.tanh %6 : tensor<4x8xf32>
    %s = train.floor %0 : tensor<4x8xf32>
    %8 = train.stop_gradient %s : tensor<4x8xf32>
    %9 = train.pow %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
    %10 = train.sqrt %9 : tensor<4x8xf32>
    %11 = train.log1p %10 : tensor<4x8xf32>
    %12 = train.add %7, %11 : tensor<4x8xf32>, tensor<4x8xf32>
    %13 = train.add %12, %8 : tensor<4x8xf32>, tensor<4x8xf32>
    %14 = train.dropout %13 rate 0.5 : tensor<4x8xf32>
    %15 = train.reduce_mean %14 over [0, 1] : tensor<4x8xf32>
    train.return %15 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adam<lr = 1.0e-3>
}
