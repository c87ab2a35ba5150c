// Attention over several tiles of scores, none of which fits: causal, masked, with a learned bias; a query that sees no key.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @q : tensor<1x2x70x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @k : tensor<1x2x131x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @v : tensor<1x2x131x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @bias : tensor<70x131xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight: tensor<1x2x70x5xf32>) -> tensor<f32> {
    %q = train.read @q : tensor<1x2x70x5xf32>
    %k = train.read @k : tensor<1x2x131x5xf32>
    %v = train.read @v : tensor<1x2x131x5xf32>
    %bias = train.read @bias : tensor<70x131xf32>
    %y = train.attention %q, %k, %v bias %bias causal : tensor<1x2x70x5xf32>, tensor<1x2x131x5xf32>, tensor<1x2x131x5xf32>, tensor<70x131xf32>
    %w = train.mul %y, %weight : tensor<1x2x70x5xf32>, tensor<1x2x70x5xf32>
    %l = train.reduce_sum %w over [0, 1, 2, 3] : tensor<1x2x70x5xf32>
    train.return %l : tensor<f32>
  }
  // Every third key is hidden, from the first query all are.
  train.func @masked(%weight: tensor<1x2x70x5xf32>) -> tensor<f32> {
    %q = train.read @q : tensor<1x2x70x5xf32>
    %k = train.read @k : tensor<1x2x131x5xf32>
    %v = train.read @v : tensor<1x2x131x5xf32>
    %row = train.iota along 0 : tensor<70x1xi32>
    %zero = train.constant dense<0> : tensor<i32>
    %first = train.compare eq %row, %zero : tensor<70x1xi32>, tensor<i32>
    %third = train.constant dense<[[0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0, 0xFF800000, 0.0, 0.0]]> : tensor<1x131xf32>
    %none = train.constant dense<0xFF800000> : tensor<f32>
    %mask = train.select %first, %none, %third : tensor<70x1xi1>, tensor<f32>, tensor<1x131xf32>
    %y = train.attention %q, %k, %v bias %mask : tensor<1x2x70x5xf32>, tensor<1x2x131x5xf32>, tensor<1x2x131x5xf32>, tensor<70x131xf32>
    %w = train.mul %y, %weight : tensor<1x2x70x5xf32>, tensor<1x2x70x5xf32>
    %l = train.reduce_sum %w over [0, 1, 2, 3] : tensor<1x2x70x5xf32>
    train.return %l : tensor<f32>
  }
  train.step @learned minimize @loss over [@q, @k, @v, @bias] with #train.sgd<lr = 0.1>
  train.step @hidden minimize @masked over [@q, @k, @v] with #train.sgd<lr = 0.1>
}
