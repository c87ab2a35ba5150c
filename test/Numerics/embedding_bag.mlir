// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bags as rows, and as numbers beside a list of indices: some are empty, and some numbers are none of a bag.
train.model @check {
  train.param @table : f32[7, 5] = #train.normal<mean = 0.0, std = 1.0>
  train.param @w : f32[4, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: i32[4, 3], %j: i32[9], %a: f32[4, 5], %b: f32[4, 5], %c: f32[4, 5], %d: f32[6, 5], %e: f32[6, 5]) {
    %table = train.read @table
    %w = train.read @w
    %bags = train.constant dense<[0, 3, 0, 5, -1, 3, 6, 0, 2]> : tensor<9xi32>
    %0 = train.embedding_bag sum %table at %i weights %w
    %1 = train.embedding_bag mean %table at %i
    %2 = train.embedding_bag max %table at %i
    %3 = train.embedding_bag mean %table at %j bags %bags of 6
    %4 = train.embedding_bag max %table at %j bags %bags of 6
    %5 = train.mul %0, %a
    %6 = train.mul %1, %b
    %7 = train.mul %2, %c
    %8 = train.mul %3, %d
    %9 = train.mul %4, %e
    %10 = train.add %5, %6
    %11 = train.add %10, %7
    %12 = train.add %8, %9
    %13 = train.sin %11
    %14 = train.sin %12
    %15 = train.reduce_sum %13 over [0, 1]
    %16 = train.reduce_sum %14 over [0, 1]
    %total = train.add %15, %16
    train.return %total
  }
  train.step @over_table minimize @loss over [@table] with #train.sgd<lr = 0.1>
  train.step @over_w minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
