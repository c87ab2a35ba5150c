// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are narrower or wider than queries, beside the products and the softmax that attention is made of.
// CHECK-COUNT-1: step values_written{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @q : tensor<2x3x5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @k : tensor<2x3x9x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @narrow : tensor<2x3x9x3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @wide : tensor<2x3x9x11xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @bias : tensor<3x5x9xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @written_values() -> tensor<f32> {
    %q = train.read @q
    %k = train.read @k
    %narrow = train.read @narrow
    %wide = train.read @wide
    %bias = train.read @bias
    %0 = train.attention %q, %k, %narrow
    %1 = train.attention %q, %k, %wide bias %bias scale 0.25
    %products = train.matmul %q, %k transpose_rhs
    %width = train.constant dense<7.0> : tensor<f32>
    %scale = train.rsqrt %width
    %quarter = train.constant dense<0.25> : tensor<f32>
    %s0 = train.mul %products, %scale
    %p0 = train.softmax %s0
    %o0 = train.matmul %p0, %narrow
    %s1 = train.mul %products, %quarter
    %b1 = train.add %s1, %bias
    %p1 = train.softmax %b1
    %o1 = train.matmul %p1, %wide
    %d0 = train.sub %0, %o0
    %d1 = train.sub %1, %o1
    %e0 = train.square %d0
    %e1 = train.square %d1
    %t0 = train.reduce_sum %e0 over [0, 1, 2, 3]
    %t1 = train.reduce_sum %e1 over [0, 1, 2, 3]
    %all = train.add %t0, %t1
    train.return %all : tensor<f32>
  }
  train.step @values_written minimize @written_values over all with #train.sgd<lr = 0.1>
}
