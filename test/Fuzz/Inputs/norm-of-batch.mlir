train.model @m {
  train.param @w : tensor<3x300xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<2x3xf32>, %a: tensor<2x300xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3x300xf32>
    %0 = train.reduce_l2 %a over [0] : tensor<2x300xf32>
    %1 = train.reduce_mean %0 over [0] : tensor<300xf32>
    %2 = train.matmul %x, %w : (tensor<2x3xf32>, tensor<3x300xf32>) -> tensor<2x300xf32>
    %3 = train.square %2 : tensor<2x300xf32>
    %4 = train.reduce_mean %3 over [0, 1] : tensor<2x300xf32>
    %5 = train.add %1, %4 : tensor<f32>, tensor<f32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 4}
}
