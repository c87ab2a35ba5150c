// RUN: not ampc-opt %s --convert-train-to-kernel 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op without a kernel is named; readers of the results are not.
// CHECK: error: expected a kernel for train.call
// CHECK: error: expected a kernel for train.reduce_mean
// CHECK-NOT: train.relu
train.model @errors {
  train.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    train.return %a : tensor<4xf32>
  }
  train.func @g(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) attributes {role = #train.role<export>} {
    %0 = train.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = train.relu %0 : tensor<4xf32>
    %2 = train.reduce_mean %a over [0] : tensor<4xf32>
    train.return %1, %2 : tensor<4xf32>, tensor<f32>
  }
}
