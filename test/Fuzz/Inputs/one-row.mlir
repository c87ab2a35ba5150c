// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w0 : tensor<1x9xf32> = #train.fill<9.000000e-01>
  train.func @loss0(%arg0: tensor<1x9xf32> {train.is = #train.input<"x0">}) -> tensor<f32> {
    %0 = train.constant dense<1.000000e+00> : tensor<1x9xf32>
    %1 = train.clamp %0 from 9.000000e-01 to 9.000000e-01 : tensor<1x9xf32>
    %2 = train.constant dense<1.000000e+00> : tensor<f32>
    %3 = train.mul %1, %arg0 : tensor<1x9xf32>, tensor<1x9xf32>
    %4 = train.read @w0 : tensor<1x9xf32>
    %5 = train.mse %3, %4 : tensor<1x9xf32>, tensor<1x9xf32>
    %6 = train.add %2, %5 : tensor<f32>, tensor<f32>
    train.return %6 : tensor<f32>
  }
  train.step @fit0 minimize @loss0 over [@w0] with #train.rowwise_adagrad<lr = 1.000000e+00, initial_accumulator = 1.000000e-02> {micro_batches = 3 : i64}
}
