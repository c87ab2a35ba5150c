// A layer whose operations and bytes can be counted by hand, and a map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @layer {
  train.param @w : tensor<64x128xf32> = #train.kaiming_uniform
  train.param @b : tensor<128xf32> = #train.zeros
  train.func @predict(%x: tensor<32x64xf32>) -> tensor<32x128xf32> {
    %w = train.read @w : tensor<64x128xf32>
    %b = train.read @b : tensor<128xf32>
    %y = train.linear %x, %w, %b : tensor<32x64xf32>, tensor<64x128xf32>, tensor<128xf32>
    train.return %y : tensor<32x128xf32>
  }
  train.func @act(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %y = train.exp %x : tensor<32x64xf32>
    %z = train.add %y, %x : tensor<32x64xf32>, tensor<32x64xf32>
    train.return %z : tensor<32x64xf32>
  }
  train.export @predict as "predict"
  train.export @act as "act"
}
