module {
  train.model @m {
    train.param @w : tensor<8x8xf32> = #train.xavier_uniform<fan_in = 8, fan_out = 5>
    train.func @loss(%x: tensor<8x8xf32> {train.is = #train.input<"x">}) -> tensor<f32> {
      %0 = train.read @w : tensor<8x8xf32>
      %1 = train.mul %0, %x : tensor<8x8xf32>, tensor<8x8xf32>
      %2 = train.mul %1, %1 : tensor<8x8xf32>, tensor<8x8xf32>
      %3 = train.mul %2, %2 : tensor<8x8xf32>, tensor<8x8xf32>
      %4 = train.reduce_mean %3 over [0, 1] : tensor<8x8xf32>
      train.return %4 : tensor<f32>
    }
    train.step @fit minimize @loss over [@w] with #train.adafactor<lr = 0.5, decay = 1.0e-8>
  }
}
