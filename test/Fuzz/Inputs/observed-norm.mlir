// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<9x9x9xf32> = #train.normal<mean = 8.503730e-01>
  train.func @loss0() -> tensor<f32> {
    %0 = train.constant dense<1.000000e+00> : tensor<9xf32>
    %1 = train.read @w0 : tensor<9x9x9xf32>
    %2 = train.maximum %0, %1 : tensor<9xf32>, tensor<9x9x9xf32>
    %3 = train.constant dense<1.000000e+00> : tensor<f32>
    %4 = train.reduce_mean %2 over [0, 1, 2] : tensor<9x9x9xf32>
    %5 = train.add %3, %4 : tensor<f32>, tensor<f32>
    train.return %5 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.lamb<lr = 5.150860e-01, beta1 = 1.734840e-01, eps = 7.528840e-01>
  }
