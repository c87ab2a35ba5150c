// Numbers in people's notations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.param @w : tensor<2x1xf32> = #train.uniform<low = -1, high = 1e0>
  train.func @loss(%x: tensor<32x2xf32>, %y: tensor<32x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<2x1xf32>
    %s = train.clamp %x from -1 to 1E+1 : tensor<32x2xf32>
    %g = train.matmul %s, %w : (tensor<32x2xf32>, tensor<2x1xf32>) -> tensor<32x1xf32>
    %l = train.smooth_l1 %g, %y beta 1 : tensor<32x1xf32>, tensor<32x1xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adam<lr = 1e-3, eps = 1.e-7> {clip_norm = 1, ema_decay = 9e-1, micro_batches = 2}
}
