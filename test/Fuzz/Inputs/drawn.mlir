module {
  train.model @m {
    train.param @w0 : tensor<6xf32> = #train.ones
    train.func @loss0(%arg0: tensor<4x6xf32> {train.is = #train.input<"x0">}) -> tensor<f32> {
      %0 = train.read @w0 : tensor<6xf32>
      %1 = train.dropout %arg0 rate 5.000000e-01 : tensor<4x6xf32>
      %2 = train.mul %1, %0 : tensor<4x6xf32>, tensor<6xf32>
      %3 = train.tanh %2 : tensor<4x6xf32>
      %4 = train.reduce_mean %3 over [0, 1] : tensor<4x6xf32>
      train.return %4 : tensor<f32>
    }
    train.step @fit0 minimize @loss0 over [@w0] with #train.adam<lr = 1.000000e-03>
  }
}
