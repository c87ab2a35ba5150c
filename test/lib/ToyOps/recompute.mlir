// An elementwise op with a single operand: the backward pass recomputes the result instead of keeping it.
// RUN: %ampc-opt --load=%toy %s --amp-recompute=explain=true 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK: remark: the backward pass of @f keeps 64 bytes less
// CHECK: toy.squareplus
// CHECK: train.seed
// CHECK: toy.squareplus %{{.*}} {amp.recompute}
#back = #train.origin<"back", stage = backward>
train.model @saved {
  train.func @f(%x: tensor<32xbf16>) -> (tensor<f32>, tensor<32xbf16>) attributes {role = #train.role<train>, step = "fit"} {
    %0 = train.exp %x : tensor<32xbf16>
    %1 = toy.squareplus %0 : tensor<32xbf16>
    %2 = train.cast %1 : tensor<32xbf16> to tensor<32xf32>
    %3 = train.reduce_sum %2 over [0] : tensor<32xf32>
    %4 = train.seed 1.0 {train.origin = #back} : tensor<bf16>
    %5 = train.mul %0, %4 {train.origin = #back} : tensor<32xbf16>, tensor<bf16>
    %6 = train.mul %5, %1 {train.origin = #back} : tensor<32xbf16>, tensor<32xbf16>
    train.return %3, %6 : tensor<f32>, tensor<32xbf16>
  }
}
