train.model @m {
  train.param @w : tensor<f32> = #train.fill<1.0e-2>
  train.func @loss(%x: tensor<2x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<f32>
    %0 = train.constant dense<300.0> : tensor<f32>
    %1 = train.mul %x, %0 : tensor<2x3xf32>, tensor<f32>
    %2 = train.reduce_l2 %1 over [1] {compute = f16} : tensor<2x3xf32>
    %3 = train.tanh %2 : tensor<2xf32>
    %4 = train.reduce_mean %3 over [0] : tensor<2xf32>
    %5 = train.sub %4, %w : tensor<f32>, tensor<f32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.rmsprop<lr = 1.0e-1, weight_decay = 1.0> {clip_value = 1.0e-2 : f64}
}
