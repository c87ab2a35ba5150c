// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.func @rows(%x: tensor<3x5x4xf32>) -> tensor<3x4xf32> {
    %0 = train.global_avg_pool %x : tensor<3x5x4xf32>
    train.return %0 : tensor<3x4xf32>
  }
  train.export @rows as "rows"
  train.func @volumes(%x: tensor<3x2x5x2x4xf32>) -> tensor<3x4xf32> {
    %0 = train.global_avg_pool %x : tensor<3x2x5x2x4xf32>
    train.return %0 : tensor<3x4xf32>
  }
  train.export @volumes as "volumes"
}
