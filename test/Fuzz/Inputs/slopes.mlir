train.model @m {
  train.param @w : tensor<3x4xf32> = #train.normal<std = 0.5>
  train.param @v : tensor<4xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<5x3xf32>, %t: tensor<5x4xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3x4xf32>
    %v = train.read @v : tensor<4xf32>
    %0 = train.matmul %x, %w : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %1 = train.gelu_tanh %0 : tensor<5x4xf32>
    %2 = train.softmax %1 : tensor<5x4xf32>
    %3 = train.mul %2, %v : tensor<5x4xf32>, tensor<4xf32>
    %4 = train.concat %3, %t along 1 : tensor<5x4xf32>, tensor<5x4xf32>
    %5 = train.reduce_l2 %4 over [1] : tensor<5x8xf32>
    %6 = train.reduce_sum %5 over [0] : tensor<5xf32>
    %7 = train.grad %6 wrt %x : tensor<f32>, tensor<5x3xf32>
    %8 = train.square %7 : tensor<5x3xf32>
    %9 = train.reduce_mean %8 over [0, 1] : tensor<5x3xf32>
    %10 = train.reduce_mean %3 over [0, 1] : tensor<5x4xf32>
    %11 = train.add %9, %10 : tensor<f32>, tensor<f32>
    train.return %11 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @v] with #train.sgd<lr = 0.1>
}
