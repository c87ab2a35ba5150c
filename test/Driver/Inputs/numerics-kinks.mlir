// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @kinks {
  train.param @w1 : tensor<32x64xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<64x64xf32> = #train.kaiming_uniform
  train.param @w3 : tensor<64x64xf32> = #train.kaiming_uniform
  train.param @w4 : tensor<64x4xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<64xf32> = #train.zeros
  train.param @b2 : tensor<64xf32> = #train.zeros
  train.param @b3 : tensor<64xf32> = #train.zeros
  train.func @loss(%x: tensor<128x32xf32>, %y: tensor<128x4xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<32x64xf32>
    %w2 = train.read @w2 : tensor<64x64xf32>
    %w3 = train.read @w3 : tensor<64x64xf32>
    %w4 = train.read @w4 : tensor<64x4xf32>
    %b1 = train.read @b1 : tensor<64xf32>
    %b2 = train.read @b2 : tensor<64xf32>
    %b3 = train.read @b3 : tensor<64xf32>
    %h1 = train.matmul %x, %w1 : (tensor<128x32xf32>, tensor<32x64xf32>) -> tensor<128x64xf32>
    %s1 = train.add %h1, %b1 : tensor<128x64xf32>, tensor<64xf32>
    %r1 = train.relu %s1 : tensor<128x64xf32>
    %h2 = train.matmul %r1, %w2 : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %s2 = train.add %h2, %b2 : tensor<128x64xf32>, tensor<64xf32>
    %r2 = train.relu %s2 : tensor<128x64xf32>
    %h3 = train.matmul %r2, %w3 : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %s3 = train.add %h3, %b3 : tensor<128x64xf32>, tensor<64xf32>
    %r3 = train.relu %s3 : tensor<128x64xf32>
    %p = train.matmul %r3, %w4 : (tensor<128x64xf32>, tensor<64x4xf32>) -> tensor<128x4xf32>
    %l = train.mse %p, %y : tensor<128x4xf32>, tensor<128x4xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2, @w3, @w4, @b1, @b2, @b3] with #train.sgd<lr = 0.01>
}
