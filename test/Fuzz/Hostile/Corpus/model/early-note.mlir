module attributes {train.phase = "plan"} {
train.model @tiny {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %p = train.mul %x, %w : tensor<3xf32>, tensor<3xf32> loc("scaled")
    %l = train.reduce_mean %p over [0] : tensor<3xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
}
