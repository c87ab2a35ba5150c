train.model @m {
  train.param @w : tensor<9x3xf32> = #train.uniform<low = 0.0, high = 1.0e-8>
  train.param @b : tensor<3xf32> = #train.fill<0.5>
  train.func @loss(%x: tensor<9x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<9x3xf32>
    %b = train.read @b : tensor<3xf32>
    %0 = train.constant dense<0.0> : tensor<9x3xf32>
    %1 = train.l1 %0, %w : tensor<9x3xf32>, tensor<9x3xf32>
    %2 = train.mul %x, %b : tensor<9x3xf32>, tensor<3xf32>
    %3 = train.reduce_mean %2 over [0, 1] : tensor<9x3xf32>
    %4 = train.add %1, %3 : tensor<f32>, tensor<f32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.1>
}
