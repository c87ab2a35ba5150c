module {
  train.model @m {
    train.param @w0 : tensor<3xf32> = #train.ones
    train.buffer @mean : tensor<3xf32> = #train.zeros
    train.buffer @variance : tensor<3xf32> = #train.ones
    train.func @loss0(%arg0: tensor<4x3xf32> {train.is = #train.input<"x0">}) -> tensor<f32> {
      %0 = train.read @mean : tensor<3xf32>
      %1 = train.read @w0 : tensor<3xf32>
      %2 = train.batch_norm %arg0, %1, %0 running @mean, @variance momentum 5.000000e-01 eps 1.000000e+00 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
      %3 = train.tanh %2 : tensor<4x3xf32>
      %4 = train.reduce_mean %3 over [0, 1] : tensor<4x3xf32>
      train.return %4 : tensor<f32>
    }
    train.step @fit0 minimize @loss0 over [@w0] with #train.rmsprop<lr = 1.000000e-03>
  }
}
