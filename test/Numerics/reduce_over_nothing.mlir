// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Over no dimension, every element is a separate sum, mean and maximum.
train.model @check {
  train.param @x : tensor<3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss() -> tensor<f32> {
    %x = train.read @x : tensor<3xf32>
    %0 = train.square %x : tensor<3xf32>
    %1 = train.reduce_sum %0 over [] : tensor<3xf32>
    %2 = train.reduce_max %1 over [] : tensor<3xf32>
    %3 = train.reduce_mean %2 over [] : tensor<3xf32>
    %4 = train.reduce_sum %3 over [0] : tensor<3xf32>
    %5 = train.reduce_sum %4 over [] : tensor<f32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
