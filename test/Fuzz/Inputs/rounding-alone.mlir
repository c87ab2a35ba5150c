// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w5 : tensor<12x33xf32> = #train.xavier_normal<fan_in = 12, fan_out = 33>
  train.param @w1 : tensor<8x12x12x1xf32> = #train.zeros
  train.param @w0 : tensor<33x8xf32> = #train.xavier_normal<fan_in = 33, fan_out = 8>
  train.func @loss0() -> tensor<f32> {
    %0 = train.read @w0 : tensor<33x8xf32>
    %1 = train.read @w1 : tensor<8x12x12x1xf32>
    %2 = train.constant dense<1.000000e+00> : tensor<1xf32>
    %3 = train.constant dense<1.000000e+00> : tensor<1xf32>
    %4 = train.instance_norm %1, %2, %3 eps 1.000000e-03 : tensor<8x12x12x1xf32>, tensor<1xf32>, tensor<1xf32>
    %5 = train.reduce_mean %0 over [0, 1] : tensor<33x8xf32>
    %6 = train.reduce_mean %4 over [0, 1, 2, 3] : tensor<8x12x12x1xf32>
    %7 = train.add %5, %6 : tensor<f32>, tensor<f32>
    train.return %7 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0, @w1] with #train.muon<lr = 5.810810e-01, weight_decay = 1.825400e-02, eps = 0.000000e+00, iterations = 4, beta2 = 1.000000e-03, adamw_eps = 1.000000e-01>
  train.func @loss1(%arg0: tensor<12x33xf32> {train.is = #train.input<"x4">}) -> tensor<f32> {
    %0 = train.read @w5 : tensor<12x33xf32>
    %1 = train.mul %arg0, %0 : tensor<12x33xf32>, tensor<12x33xf32>
    %2 = train.reduce_mean %1 over [0, 1] : tensor<12x33xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit1 minimize @loss1 over [@w5] with #train.adam<lr = 1.000000e-03, beta1 = 9.653100e-02, moments = f32>
}
