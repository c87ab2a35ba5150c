// Elements that a selection leaves out have the cotangent 0, and keep 0 where the slope is infinite: 0 * inf would make all earlier gradients NaN.
// RUN: ampc check %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check {
  train.param @w : f32[2, 3] = #train.ones
  train.param @e : f32[2, 3] = #train.fill<0.5>
  train.func @loss() {
    %zero = train.constant dense<0.0> : tensor<f32>
    %one = train.constant dense<1.0> : tensor<f32>
    %ten = train.constant dense<10.0> : tensor<f32>
    %at = train.constant dense<[[1.0, 0.0, 2.0], [0.5, 1.5, 0.0]]> : tensor<2x3xf32>
    %far = train.constant dense<[[1.0, 1.0e4, 2.0], [0.5, 1.5, 1.0e4]]> : tensor<2x3xf32>
    %p = train.mul %at, %w
    %x = train.mul %far, %w
    %m = train.sub %p, %one
    %inside = train.compare gt %at, %zero
    %near = train.compare lt %far, %ten
    %y0 = train.log %p
    %y1 = train.mul %p, %y0
    %y2 = train.log1p %m
    %y3 = train.rsqrt %p
    %y4 = train.reciprocal %p
    %y5 = train.div %w, %p
    %y6 = train.pow %p, %e
    %y7 = train.exp %x
    %y8 = train.expm1 %x
    %y9 = train.sinh %x
    %y10 = train.cosh %x
    %s0 = train.select %inside, %y0, %zero
    %s1 = train.select %inside, %y1, %zero
    %s2 = train.select %inside, %y2, %zero
    %s3 = train.select %inside, %y3, %zero
    %s4 = train.select %inside, %y4, %zero
    %s5 = train.select %inside, %y5, %zero
    %s6 = train.select %inside, %y6, %zero
    %s7 = train.select %near, %y7, %zero
    %s8 = train.select %near, %y8, %zero
    %s9 = train.select %near, %y9, %zero
    %s10 = train.select %near, %y10, %zero
    %t0 = train.concat %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10 along 0
    %l = train.reduce_sum %t0 over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
