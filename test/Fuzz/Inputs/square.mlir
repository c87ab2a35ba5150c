// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @m {
  train.func @turned(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = train.transpose %x [1, 0] : tensor<3x3xf32>
    train.return %0 : tensor<3x3xf32>
  }
  train.export @turned as "turned"
}
