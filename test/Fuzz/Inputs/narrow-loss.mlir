train.model @m {
  train.param @w : tensor<5x6xf32> = #train.normal<std = 0.5>
  train.func @loss(%x: tensor<5x6xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<5x6xf32>
    %0 = train.cast %w : tensor<5x6xf32> to tensor<5x6xbf16>
    %1 = train.cast %x : tensor<5x6xf32> to tensor<5x6xbf16>
    %2 = train.sinh %1 : tensor<5x6xbf16>
    %3 = train.sinh %2 : tensor<5x6xbf16>
    %4 = train.softmax_cross_entropy %3, %0 : tensor<5x6xbf16>, tensor<5x6xbf16>
    %5 = train.cast %4 : tensor<bf16> to tensor<f32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
