// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.param @w : tensor<17x8x5x5xf32> = #train.xavier_uniform<fan_in = 200, fan_out = 680>
    train.func @loss(%x: tensor<17x8x5x5xf32>) -> tensor<f32> {
      %w = train.read @w : tensor<17x8x5x5xf32>
      %one = train.constant dense<1.000000e+00> : tensor<17x8x5x5xf32>
      %d = train.sub %one, %w : tensor<17x8x5x5xf32>, tensor<17x8x5x5xf32>
      %loss = train.mse %d, %x : tensor<17x8x5x5xf32>, tensor<17x8x5x5xf32>
      train.return %loss : tensor<f32>
    }
    train.step @fit minimize @loss over [@w] with #train.adamw<lr = 3.855800e-02> {clip_norm = 1.000000e-02 : f64}
  }
}
