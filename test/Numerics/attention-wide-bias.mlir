// RUN: ampc check %s | FileCheck %s
// RUN: ampc %s --precision=f32 --compile-to=kernels 2>/dev/null | FileCheck %s --check-prefix=KERNEL
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bias in f64 of queries, keys and values in f16 is rounded to f32, the type of the scores: the bias in f32 gives the same result.
// CHECK: step over_bias{{.*}}: loss 0{{(\.0+)?$}}
// CHECK: all gradients agree
// KERNEL: kernel.attention({{.*}}tensor<3x5x9xf32>) acc f32
train.model @check {
  train.param @bias : tensor<3x5x9xf64> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%q: f16[2, 3, 5, 7], %k: f16[2, 3, 9, 7], %v: f16[2, 3, 9, 7], %weight: f32[2, 3, 5, 7]) {
    %bias = train.read @bias
    %rounded = train.cast %bias : tensor<3x5x9xf64> to tensor<3x5x9xf32>
    %0 = train.attention %q, %k, %v bias %bias
    %1 = train.attention %q, %k, %v bias %rounded
    %2 = train.cast %0 : tensor<2x3x5x7xf16> to tensor<2x3x5x7xf32>
    %3 = train.cast %1 : tensor<2x3x5x7xf16> to tensor<2x3x5x7xf32>
    %4 = train.sub %2, %3
    %5 = train.mul %4, %weight
    %6 = train.reduce_sum %5 over [0, 1, 2, 3]
    train.return %6
  }
  train.step @over_bias minimize @loss over [@bias] with #train.sgd<lr = 0.1>
}
