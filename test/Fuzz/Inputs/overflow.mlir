// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @overflow {
  train.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = train.constant dense<1.0e+30> : tensor<4xf32>
    %1 = train.exp %x : tensor<4xf32>
    %2 = train.mul %1, %0 : tensor<4xf32>, tensor<4xf32>
    %3 = train.mul %2, %0 : tensor<4xf32>, tensor<4xf32>
    %4 = train.sub %3, %3 : tensor<4xf32>, tensor<4xf32>
    train.return %4 : tensor<4xf32>
  }
  train.export @f as "f"
}
