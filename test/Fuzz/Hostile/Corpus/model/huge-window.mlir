train.model @m {
  train.param @w : tensor<1x8x8x2xf32> = #train.ones
  train.func @loss() -> tensor<f32> {
    %w = train.read @w : tensor<1x8x8x2xf32>
    %y, %where = train.max_pool %w window [3, 9223372036854775807] strides [1, 1] padding [0, 0, 0, 9223372036854775807] : tensor<1x8x8x2xf32>
    %l = train.reduce_sum %y over [0, 1, 2, 3] : tensor<1x8x8x2xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
