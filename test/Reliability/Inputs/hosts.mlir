// First values of every distribution, kernels of several tasks, random numbers in the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @hosts {
  train.param @w1 : tensor<256x512xf32> = #train.kaiming_normal
  train.param @b1 : tensor<512xf32> = #train.uniform<low = -0.1, high = 0.1>
  train.param @w2 : tensor<512x16xf32> = #train.truncated_normal<std = 0.02>
  train.func @score(%x: tensor<64x256xf32>) -> tensor<64x16xf32> {
    %w1 = train.read @w1 : tensor<256x512xf32>
    %b1 = train.read @b1 : tensor<512xf32>
    %w2 = train.read @w2 : tensor<512x16xf32>
    %0 = train.matmul %x, %w1 : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32>
    %1 = train.add %0, %b1 : tensor<64x512xf32>, tensor<512xf32>
    %2 = train.gelu %1 : tensor<64x512xf32>
    %3 = train.dropout %2 rate 0.25 : tensor<64x512xf32>
    %4 = train.matmul %3, %w2 : (tensor<64x512xf32>, tensor<512x16xf32>) -> tensor<64x16xf32>
    train.return %4 : tensor<64x16xf32>
  }
  train.func @loss(%x: tensor<64x256xf32>) -> tensor<f32> {
    %0 = train.call @score(%x) : (tensor<64x256xf32>) -> tensor<64x16xf32>
    %1 = train.square %0 : tensor<64x16xf32>
    %2 = train.reduce_mean %1 over [0, 1] : tensor<64x16xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @w2] with #train.adam<lr = 0.001>
  train.export @score as "predict"
}
