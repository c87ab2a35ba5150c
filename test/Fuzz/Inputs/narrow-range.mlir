train.model @m {
  train.param @w : tensor<3xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<5x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = train.mul %x, %w : tensor<5x3xf32>, tensor<3xf32>
    %1 = train.reduce_mean %0 over [0, 1] : tensor<5x3xf32>
    train.return %1 : tensor<f32>
  }
  train.func @draw() -> tensor<f32> {
    %0 = train.random_uniform from 1.0e-05 to 1.0e-05 : tensor<f32>
    train.return %0 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
  train.export @draw as "predict"
}
