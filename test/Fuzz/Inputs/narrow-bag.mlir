module {
  train.model @m {
    train.param @w0 : tensor<9x5xf32> = #train.normal<mean = 1.0, std = 1.0>
    train.param @w1 : tensor<9x5xf32> = #train.normal<mean = 3.000000e+04, std = 1.000000e+03>
    train.func @infer0(%arg0: tensor<4x5xf32> {train.is = #train.input<"x1">}, %arg1: tensor<4x9xi32> {train.is = #train.input<"x2">}, %arg2: tensor<4x9xf32> {train.is = #train.input<"x3">}) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
      %2 = train.read @w0 : tensor<9x5xf32>
      %3 = train.cast %2 : tensor<9x5xf32> to tensor<9x5xf16>
      %c = train.cast %arg2 : tensor<4x9xf32> to tensor<4x9xf16>
      %8 = train.read @w1 : tensor<9x5xf32>
      %9 = train.cast %8 : tensor<9x5xf32> to tensor<9x5xf16>
      %4 = train.embedding_bag mean %9 at %arg1 padding 0 : tensor<9x5xf16>, tensor<4x9xi32>
      %5 = train.cast %4 : tensor<4x5xf16> to tensor<4x5xf32>
      %6 = train.embedding_bag sum %3 at %arg1 weights %c : tensor<9x5xf16>, tensor<4x9xi32>, tensor<4x9xf16>
      %7 = train.cast %6 : tensor<4x5xf16> to tensor<4x5xf32>
      train.return %5, %7 : tensor<4x5xf32>, tensor<4x5xf32>
    }
    train.export @infer0 as "predict0" 
  }
}
