// A table whose gradient is the same number in every named row: only the draws of the rounding could distinguish orders of the rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @rows {
  train.param @table : tensor<500x24xf32> = #train.normal<std = 0.1>
  train.func @loss(%item: tensor<32x4xi32>) -> tensor<f32> {
    %table = train.read @table : tensor<500x24xf32>
    %0 = train.embedding %table at %item : tensor<500x24xf32>, tensor<32x4xi32>
    %1 = train.reduce_mean %0 over [0, 1, 2] : tensor<32x4x24xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@table] with #train.adam<lr = 1.0e-3, lazy = true, moments = bf16>
}
