module {
  train.model @m {
    train.param @w0 : tensor<8x8x8x8xf32> = #train.fill<1.000000e-08>
    train.func @loss0(%arg0: tensor<8x1x8xf32> {train.is = #train.input<"x0">}, %arg1: tensor<8x8x8x8xf32> {train.is = #train.input<"x1">}, %arg2: tensor<8x8x8x8xf32> {train.is = #train.input<"x2">}) -> tensor<f32> {
      %0 = train.transpose %arg1 [0, 2, 3, 1] : tensor<8x8x8x8xf32>
      %1 = train.read @w0 : tensor<8x8x8x8xf32>
      %result = train.attention %0, %arg2, %arg1 bias %1 : tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>
      %2 = train.reduce_sum %arg0 over [0, 1, 2] : tensor<8x1x8xf32>
      %3 = train.reduce_mean %result over [0, 1, 2, 3] : tensor<8x8x8x8xf32>
      %4 = train.add %2, %3 : tensor<f32>, tensor<f32>
      train.return %4 : tensor<f32>
    }
    train.step @fit0 minimize @loss0 over [@w0] with #train.muon<lr = 4.950440e-01, momentum = 0.000000e+00, nesterov = false, weight_decay = 1.000000e-03, eps = 1.000000e-03, beta2 = 1.000000e-03>
  }
}