// Two products, one with numbers of rows that fill tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @two {
  train.param @w : tensor<48x64xf32> = #train.kaiming_uniform
  train.param @v : tensor<64x8xf32> = #train.kaiming_uniform

  train.func @loss(%x: tensor<32x48xf32>, %y: tensor<32x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<48x64xf32>
    %v = train.read @v : tensor<64x8xf32>
    %0 = train.linear %x, %w : tensor<32x48xf32>, tensor<48x64xf32>
    %1 = train.gelu %0 : tensor<32x64xf32>
    %2 = train.linear %1, %v : tensor<32x64xf32>, tensor<64x8xf32>
    %loss = train.mse %2, %y : tensor<32x8xf32>, tensor<32x8xf32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @v] with #train.sgd<lr = 0.1>
}
