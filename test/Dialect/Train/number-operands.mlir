// Numbers, sizes and formulas in place of operands, and constants without `dense`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPAND
// RUN: %ampc-opt %t.once --train-expand-modules | FileCheck %s --check-prefix=EXPAND

// CHECK-LABEL: train.model @m
train.model @m(batch = 8, beta = 0.5, shift = 3) {
  // CHECK-LABEL: train.func @reals
  train.func @reals(%x: f32[batch, 4], %h: f16[batch], %d: f64[batch]) {
    // CHECK: %[[HALF:.*]] = train.constant dense<5.000000e-01> : tensor<f32>{{$}}
    // CHECK: %[[A:.*]] = train.mul %{{.*}}, %[[HALF]] : tensor<8x4xf32>, tensor<f32>
    %a = train.mul %x, 0.5
    // CHECK: %[[ONE:.*]] = train.constant dense<1.000000e+00> : tensor<f32>
    // CHECK: %[[B:.*]] = train.sub %[[ONE]], %[[A]] : tensor<f32>, tensor<8x4xf32>
    %b = train.sub 1, %a
    // CHECK: %[[BETA:.*]] = train.constant dense<-1.500000e+00> : tensor<f32> {train.sizes = {value = "beta - 2"}}
    // CHECK: train.add %[[B]], %[[BETA]]
    %c = train.add %b, beta - 2 : f32[batch, 4]
    // CHECK: %[[LEAST:.*]] = train.constant dense<0.000000e+00> : tensor<f32>
    // CHECK: train.compare {{ *}}gt %{{.*}}, %[[LEAST]]
    %m = train.compare gt %c, 0
    // CHECK: train.constant dense<-1.000000e+00> : tensor<f32>
    // CHECK: train.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x4xi1>, tensor<f32>, tensor<8x4xf32>
    %s = train.select %m, -1.0, %c
    // Rounded once, from the digits: in f64, 1 + 2^-11 + 2^-60 is 1 + 2^-11, which in f16 is 1.
    // CHECK: train.constant dense<1.000980e+00> : tensor<f16>
    %e = train.add %h, 1.0004882812500000008673617379884
    // CHECK: train.constant dense<1.000000e-01> : tensor<f64>
    %f = train.pow %d, 0.1
    // CHECK: train.constant dense<0.3333333333333333{{.*}}> : tensor<f64>
    %g = train.mul %d, 1 / 3
    train.return %s, %e as "e", %f as "f", %g as "g"
  }
  // A whole number that is the name of a value, too.
  // CHECK-LABEL: train.func @names
  train.func @names(%x: f32[batch]) {
    %0 = train.tanh %x
    // CHECK: %[[ZERO:.*]] = train.constant dense<0.000000e+00> : tensor<f32>
    // CHECK: train.maximum %{{.*}}, %[[ZERO]]
    %1 = train.maximum %0, 0
    train.return %1
  }
  // CHECK-LABEL: train.func @integers
  train.func @integers(%i: i32[batch], %b: i1[batch], %l: i64[batch]) {
    // CHECK: train.constant dense<-9223372036854775808> : tensor<i64>
    %least = train.maximum %l, -9223372036854775808
    // CHECK: train.constant dense<9223372036854775807> : tensor<i64>
    %greatest = train.minimum %l, 9223372036854775807
    // CHECK: train.constant dense<-2147483648> : tensor<i32>
    %x = train.maximum %i, -2147483648
    // CHECK: train.constant dense<6> : tensor<i32> {train.sizes = {value = "2 * shift"}}
    %y = train.add 2 * shift, %x
    // CHECK: train.constant dense<2> : tensor<i32>
    %z = train.mul %y, 2.0
    // CHECK: train.constant dense<true> : tensor<i1>
    %t = train.logical_xor %b, 1
    train.return %z, %t as "t"
  }
  // A loop whose block has no value to compute with but a value from outside.
  // CHECK-LABEL: train.func @loop
  train.func @loop(%x: f32[batch, 4]) {
    // CHECK: train.constant dense<2.000000e+00> : tensor<f32>
    // CHECK: train.scan
    %y = train.scan carry %c = %x times 3 {
      %d = train.mul %x, 2.0
      // CHECK: train.constant dense<5.000000e-01> : tensor<f32> {train.sizes = {value = "beta"}}
      %e = train.mul beta, %c
      %n = train.add %d, %e
      train.next %n
    }
    train.return %y
  }
  // CHECK-LABEL: train.func @constants
  train.func @constants() {
    // CHECK: train.constant dense<5.000000e-01> : tensor<f32>
    %a = train.constant 0.5 : f32[]
    // CHECK: train.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf32> {train.sizes = {value = "1.0, beta / 2"}}
    %b = train.constant [1.0, beta / 2] : f32[2]
    // CHECK: train.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
    %c = train.constant [[1, 2, 3], [4, 5, 6]] : i64[2, 3]
    // CHECK: train.constant dense<5.000000e-01> : tensor<8x2xf32> {train.sizes = {result = "batch, 2", value = "beta"}}
    %d = train.constant beta : f32[batch, 2]
    // CHECK: train.constant dense<[true, false]> : tensor<2xi1>
    %e = train.constant [true, false] : i1[2]
    // CHECK: train.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %f = train.constant dense<[1.0, 2.0]> : tensor<2xf32>
    train.return %a, %b as "b", %c as "c", %d as "d", %e as "e", %f as "f"
  }
  // CHECK: train.model @scaled (by = 1.0, size = 2)
  train.model @scaled(by = 1.0, size = 2) {
    train.func @apply(%x: f32[batch, 4]) {
      // CHECK: train.constant dense<1.000000e+00> : tensor<f32> {train.sizes = {value = "by"}}
      %y = train.mul %x, by
      // CHECK: train.constant dense<0.000000e+00> : tensor<2xf32> {train.sizes = {result = "size"}}
      %z = train.constant 0.0 : f32[size]
      %s = train.reduce_sum %z over [0]
      %r = train.add %y, %s
      train.return %r
    }
  }
  train.use @scaled as @twice (by = 2, size = 5)
  train.func @use(%x: f32[batch, 4]) {
    %y = train.apply @twice(%x)
    train.return %y
  }
  // EXPAND-LABEL: train.func @use
  // EXPAND: train.constant dense<2.000000e+00> : tensor<f32>
  // EXPAND: train.constant dense<0.000000e+00> : tensor<5xf32>
}
