module {
  train.model @m {
    train.param @w0 : tensor<9x9xf32> = #train.fill<-1.000000e-01>
    train.func @infer0(%arg0: tensor<9x9xf32> {train.is = #train.input<"x1">}) -> tensor<9x9xf32> {
      %0 = train.cast %arg0 : tensor<9x9xf32> to tensor<9x9xf16>
      %1 = train.constant dense<3> : tensor<9x9xi32>
      %2 = train.read @w0 : tensor<9x9xf32>
      %3 = train.cast %2 : tensor<9x9xf32> to tensor<9x9xf16>
      %4 = train.scatter add %0 at %1 into %3 along 1 : tensor<9x9xf16>, tensor<9x9xi32>, tensor<9x9xf16>
      %5 = train.cast %4 : tensor<9x9xf16> to tensor<9x9xf32>
      train.return %5 : tensor<9x9xf32>
    }
    train.export @infer0 as "predict0" 
  }
}
