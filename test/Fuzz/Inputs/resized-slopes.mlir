train.model @m {
  train.param @w : tensor<3x4xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<5x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3x4xf32>
    %0 = train.resize nearest %w to [4, 2] coordinates asymmetric : tensor<3x4xf32>
    %1 = train.pad_mode reflect %0 low [1, 0] high [2, 1] : tensor<4x2xf32>
    %2 = train.square %1 : tensor<7x3xf32>
    %3 = train.reduce_sum %2 over [0, 1] : tensor<7x3xf32>
    %4 = train.grad %3 wrt %w : tensor<f32>, tensor<3x4xf32>
    %5 = train.matmul %x, %4 : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %6 = train.square %5 : tensor<5x4xf32>
    %7 = train.reduce_mean %6 over [0, 1] : tensor<5x4xf32>
    train.return %7 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
