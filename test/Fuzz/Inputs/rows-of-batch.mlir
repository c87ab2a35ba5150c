module {
  train.model @m {
    train.param @w : tensor<3xf32> = #train.ones
    train.func @infer0(%arg0: tensor<2x6xf32> {train.is = #train.input<"x0">}) -> tensor<4x3xf32> {
      %0 = train.reshape %arg0 : tensor<2x6xf32> to tensor<4x3xf32>
      %1 = train.read @w : tensor<3xf32>
      %2 = train.mul %0, %1 : tensor<4x3xf32>, tensor<3xf32>
      train.return %2 : tensor<4x3xf32>
    }
    train.export @infer0 as "predict0" 
  }
}
