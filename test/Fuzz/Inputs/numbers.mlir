// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.param @w : tensor<3xf32> = #train.ones {frozen}
    train.func @numbers(%x: tensor<3xf32>) -> (tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf16>, tensor<3xf32>) {
      %0 = train.pad %x value 1.000000e-01 low [1] high [1] interior [0] : tensor<3xf32>
      %1 = train.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
      %2 = train.clamp %x from 1.000000e-01 to 1.100000e-01 : tensor<3xf32>
      %3 = train.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf16>
      %4 = train.leaky_relu %x slope 1.000000e-01 : tensor<3xf32>
      train.return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf16>, tensor<3xf32>
    }
    train.export @numbers as "numbers"
  }
}
