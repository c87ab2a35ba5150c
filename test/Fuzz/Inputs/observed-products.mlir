// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<6x5xf32> = #train.kaiming_normal<fan_in = 6>
  train.func @loss0(%x: tensor<6x5xf32>) -> tensor<f32> {
    %0 = train.read @w0 : tensor<6x5xf32>
    %1 = train.mul %0, %x : tensor<6x5xf32>, tensor<6x5xf32>
    %2 = train.mul %1, %1 : tensor<6x5xf32>, tensor<6x5xf32>
    %3 = train.reduce_mean %2 over [0, 1] : tensor<6x5xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.muon<lr = 5.000000e-01>
}
