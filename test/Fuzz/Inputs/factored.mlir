train.model @m {
  train.param @w : tensor<4x3x2x1x1xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<2x3x4x4x1xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x3x2x1x1xf32>
    %0 = train.conv3d %x, %w strides [1, 1, 1] padding [1, 1, 0, 0, 0, 0] : tensor<2x3x4x4x1xf32>, tensor<4x3x2x1x1xf32>
    %1 = train.tanh %0 : tensor<2x3x3x4x4xf32>
    %2 = train.reduce_mean %1 over [0, 1, 2, 3, 4] : tensor<2x3x3x4x4xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adafactor<lr = 0.01>
}
