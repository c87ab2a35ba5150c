module {
  train.model @m {
    train.param @w0 : tensor<3xf32> = #train.ones
    train.buffer @mean : tensor<3xf16> = #train.zeros
    train.buffer @variance : tensor<3xf16> = #train.ones
    train.func @loss0(%arg0: tensor<16x3xf32> {train.is = #train.input<"x0">}) -> tensor<f32> {
      %0 = train.constant dense<2.500000e+02> : tensor<f32>
      %1 = train.mul %arg0, %0 : tensor<16x3xf32>, tensor<f32>
      %2 = train.cast %1 : tensor<16x3xf32> to tensor<16x3xf16>
      %3 = train.read @w0 : tensor<3xf32>
      %4 = train.constant dense<1.000000e+00> : tensor<3xf16>
      %5 = train.constant dense<2.500000e-01> : tensor<3xf16>
      %6 = train.batch_norm %2, %4, %5 running @mean, @variance momentum 5.000000e-01 eps 1.000000e+00 : tensor<16x3xf16>, tensor<3xf16>, tensor<3xf16>
      %7 = train.cast %6 : tensor<16x3xf16> to tensor<16x3xf32>
      %8 = train.tanh %7 : tensor<16x3xf32>
      %9 = train.mul %8, %3 : tensor<16x3xf32>, tensor<3xf32>
      %10 = train.reduce_mean %9 over [0, 1] : tensor<16x3xf32>
      train.return %10 : tensor<f32>
    }
    train.step @fit0 minimize @loss0 over [@w0] with #train.sgd<lr = 1.000000e-01>
  }
}
