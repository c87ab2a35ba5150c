// examples/conv-net/conv-net.mlir in full: tests compare the short text with this text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @conv_net {
  train.param @conv1.weight : tensor<16x3x3x1xf32>  = #train.kaiming_normal
  train.param @conv2.weight : tensor<32x3x3x16xf32> = #train.kaiming_normal
  train.param @conv3.weight : tensor<64x3x3x32xf32> = #train.kaiming_normal
  train.param @conv4.weight : tensor<64x3x3x64xf32> = #train.kaiming_normal
  train.param @norm1.gamma : tensor<16xf32> = #train.ones
  train.param @norm1.beta  : tensor<16xf32> = #train.zeros
  train.param @norm2.gamma : tensor<32xf32> = #train.ones
  train.param @norm2.beta  : tensor<32xf32> = #train.zeros
  train.param @norm3.gamma : tensor<64xf32> = #train.ones
  train.param @norm3.beta  : tensor<64xf32> = #train.zeros
  train.param @norm4.gamma : tensor<64xf32> = #train.ones
  train.param @norm4.beta  : tensor<64xf32> = #train.zeros
  train.param @output.weight : tensor<64x4xf32> = #train.xavier_uniform
  train.param @output.bias   : tensor<4xf32>    = #train.zeros
  train.buffer @norm1.mean     : tensor<16xf32> = #train.zeros
  train.buffer @norm1.variance : tensor<16xf32> = #train.ones
  train.buffer @norm2.mean     : tensor<32xf32> = #train.zeros
  train.buffer @norm2.variance : tensor<32xf32> = #train.ones
  train.buffer @norm3.mean     : tensor<64xf32> = #train.zeros
  train.buffer @norm3.variance : tensor<64xf32> = #train.ones
  train.buffer @norm4.mean     : tensor<64xf32> = #train.zeros
  train.buffer @norm4.variance : tensor<64xf32> = #train.ones

  train.func @scores(%image: tensor<64x32x32x1xf32>) -> tensor<64x4xf32> {
    %w1 = train.read @conv1.weight : tensor<16x3x3x1xf32>
    %g1 = train.read @norm1.gamma : tensor<16xf32>
    %b1 = train.read @norm1.beta : tensor<16xf32>
    %c1 = train.conv2d %image, %w1 strides [1, 1] padding [1, 1, 1, 1] : (tensor<64x32x32x1xf32>, tensor<16x3x3x1xf32>) -> tensor<64x32x32x16xf32>
    %n1 = train.batch_norm %c1, %g1, %b1 running @norm1.mean, @norm1.variance momentum 0.1 eps 1.0e-5
      : tensor<64x32x32x16xf32>, tensor<16xf32>, tensor<16xf32>
    %r1 = train.relu %n1 : tensor<64x32x32x16xf32>
    %p1, %i1 = train.max_pool %r1 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<64x32x32x16xf32>

    %w2 = train.read @conv2.weight : tensor<32x3x3x16xf32>
    %g2 = train.read @norm2.gamma : tensor<32xf32>
    %b2 = train.read @norm2.beta : tensor<32xf32>
    %c2 = train.conv2d %p1, %w2 strides [1, 1] padding [1, 1, 1, 1] : (tensor<64x16x16x16xf32>, tensor<32x3x3x16xf32>) -> tensor<64x16x16x32xf32>
    %n2 = train.batch_norm %c2, %g2, %b2 running @norm2.mean, @norm2.variance momentum 0.1 eps 1.0e-5
      : tensor<64x16x16x32xf32>, tensor<32xf32>, tensor<32xf32>
    %r2 = train.relu %n2 : tensor<64x16x16x32xf32>
    %p2, %i2 = train.max_pool %r2 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<64x16x16x32xf32>

    %w3 = train.read @conv3.weight : tensor<64x3x3x32xf32>
    %g3 = train.read @norm3.gamma : tensor<64xf32>
    %b3 = train.read @norm3.beta : tensor<64xf32>
    %c3 = train.conv2d %p2, %w3 strides [1, 1] padding [1, 1, 1, 1] : (tensor<64x8x8x32xf32>, tensor<64x3x3x32xf32>) -> tensor<64x8x8x64xf32>
    %n3 = train.batch_norm %c3, %g3, %b3 running @norm3.mean, @norm3.variance momentum 0.1 eps 1.0e-5
      : tensor<64x8x8x64xf32>, tensor<64xf32>, tensor<64xf32>
    %r3 = train.relu %n3 : tensor<64x8x8x64xf32>
    %p3, %i3 = train.max_pool %r3 window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<64x8x8x64xf32>

    %w4 = train.read @conv4.weight : tensor<64x3x3x64xf32>
    %g4 = train.read @norm4.gamma : tensor<64xf32>
    %b4 = train.read @norm4.beta : tensor<64xf32>
    %c4 = train.conv2d %p3, %w4 strides [1, 1] padding [1, 1, 1, 1] : (tensor<64x4x4x64xf32>, tensor<64x3x3x64xf32>) -> tensor<64x4x4x64xf32>
    %n4 = train.batch_norm %c4, %g4, %b4 running @norm4.mean, @norm4.variance momentum 0.1 eps 1.0e-5
      : tensor<64x4x4x64xf32>, tensor<64xf32>, tensor<64xf32>
    %r4 = train.relu %n4 : tensor<64x4x4x64xf32>

    // A shape may be anywhere: the mean over all places forgets where.
    %p4 = train.global_avg_pool %r4 : tensor<64x4x4x64xf32>
    %w = train.read @output.weight : tensor<64x4xf32>
    %b = train.read @output.bias : tensor<4xf32>
    %scores = train.linear %p4, %w, %b : tensor<64x64xf32>, tensor<64x4xf32>, tensor<4xf32>
    train.return %scores : tensor<64x4xf32>
  }
  train.func @loss(%image: tensor<64x32x32x1xf32>, %label: tensor<64xi32>) -> tensor<f32> {
    %scores = train.call @scores(%image) : (tensor<64x32x32x1xf32>) -> tensor<64x4xf32>
    %loss = train.softmax_cross_entropy %scores, %label : tensor<64x4xf32>, tensor<64xi32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@conv1.weight, @conv2.weight, @conv3.weight, @conv4.weight, @norm1.gamma, @norm1.beta,
      @norm2.gamma, @norm2.beta, @norm3.gamma, @norm3.beta, @norm4.gamma,
      @norm4.beta, @output.weight, @output.bias]
    with #train.adamw<lr = 3.0e-3> schedule #train.cosine<steps = 600, warmup = 20, floor = 0.02>
  train.export @scores as "predict"
}
