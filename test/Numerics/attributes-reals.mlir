// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unusual numbers of ops of elements, rows and random draws: negative, 0, a number that 16 bits round, and 1000. Expected values come
// from equivalent other ops.
// CHECK-COUNT-5: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @x : tensor<6x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : tensor<5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.buffer @mean : tensor<5xf32> = #train.zeros
  train.buffer @variance : tensor<5xf32> = #train.ones
  train.buffer @mean2 : tensor<5xf32> = #train.zeros
  train.buffer @variance2 : tensor<5xf32> = #train.ones
  train.func @elements(%x: tensor<6x5xf32>, %b: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
    %0 = train.clamp %x from 0.0 to 0.3125152587890625 : tensor<6x5xf32>
    %1 = train.clamp %x from -1.5 to 0.0 : tensor<6x5xf32>
    %2 = train.clamp %x from 0.3125152587890625 to 1000.0 : tensor<6x5xf32>
    %3 = train.clamp %x from -1000.0 to -0.25 : tensor<6x5xf32>
    %4 = train.clamp %x from 1000.0 to 2000.0 : tensor<6x5xf32>
    %5 = train.leaky_relu %x slope -1.5 : tensor<6x5xf32>
    %6 = train.leaky_relu %x slope 0.0 : tensor<6x5xf32>
    %7 = train.leaky_relu %x slope 0.3125152587890625 : tensor<6x5xf32>
    %8 = train.leaky_relu %x slope 1000.0 : tensor<6x5xf32>
    %lt = train.compare lt %x, %b : tensor<6x5xf32>, tensor<5xf32>
    %9 = train.select %lt, %x, %b : tensor<6x5xi1>, tensor<6x5xf32>, tensor<5xf32>
    %ge = train.compare ge %x, %b : tensor<6x5xf32>, tensor<5xf32>
    %10 = train.select %ge, %x, %b : tensor<6x5xi1>, tensor<6x5xf32>, tensor<5xf32>
    train.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  train.func @of_elements(%weight0: tensor<6x5xf32>, %weight1: tensor<6x5xf32>, %weight2: tensor<6x5xf32>, %weight3: tensor<6x5xf32>, %weight4: tensor<6x5xf32>, %weight5: tensor<6x5xf32>, %weight6: tensor<6x5xf32>, %weight7: tensor<6x5xf32>, %weight8: tensor<6x5xf32>, %weight9: tensor<6x5xf32>, %weight10: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %b = train.read @b : tensor<5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10 = train.call @elements(%x, %b) : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %sin0 = train.sin %y0 : tensor<6x5xf32>
    %p0 = train.mul %sin0, %weight0 : tensor<6x5xf32>, tensor<6x5xf32>
    %r0 = train.reduce_sum %p0 over [0, 1] : tensor<6x5xf32>
    %sin1 = train.sin %y1 : tensor<6x5xf32>
    %p1 = train.mul %sin1, %weight1 : tensor<6x5xf32>, tensor<6x5xf32>
    %r1 = train.reduce_sum %p1 over [0, 1] : tensor<6x5xf32>
    %sin2 = train.sin %y2 : tensor<6x5xf32>
    %p2 = train.mul %sin2, %weight2 : tensor<6x5xf32>, tensor<6x5xf32>
    %r2 = train.reduce_sum %p2 over [0, 1] : tensor<6x5xf32>
    %sin3 = train.sin %y3 : tensor<6x5xf32>
    %p3 = train.mul %sin3, %weight3 : tensor<6x5xf32>, tensor<6x5xf32>
    %r3 = train.reduce_sum %p3 over [0, 1] : tensor<6x5xf32>
    %sin4 = train.sin %y4 : tensor<6x5xf32>
    %p4 = train.mul %sin4, %weight4 : tensor<6x5xf32>, tensor<6x5xf32>
    %r4 = train.reduce_sum %p4 over [0, 1] : tensor<6x5xf32>
    %sin5 = train.sin %y5 : tensor<6x5xf32>
    %p5 = train.mul %sin5, %weight5 : tensor<6x5xf32>, tensor<6x5xf32>
    %r5 = train.reduce_sum %p5 over [0, 1] : tensor<6x5xf32>
    %sin6 = train.sin %y6 : tensor<6x5xf32>
    %p6 = train.mul %sin6, %weight6 : tensor<6x5xf32>, tensor<6x5xf32>
    %r6 = train.reduce_sum %p6 over [0, 1] : tensor<6x5xf32>
    %sin7 = train.sin %y7 : tensor<6x5xf32>
    %p7 = train.mul %sin7, %weight7 : tensor<6x5xf32>, tensor<6x5xf32>
    %r7 = train.reduce_sum %p7 over [0, 1] : tensor<6x5xf32>
    %sin8 = train.sin %y8 : tensor<6x5xf32>
    %p8 = train.mul %sin8, %weight8 : tensor<6x5xf32>, tensor<6x5xf32>
    %r8 = train.reduce_sum %p8 over [0, 1] : tensor<6x5xf32>
    %sin9 = train.sin %y9 : tensor<6x5xf32>
    %p9 = train.mul %sin9, %weight9 : tensor<6x5xf32>, tensor<6x5xf32>
    %r9 = train.reduce_sum %p9 over [0, 1] : tensor<6x5xf32>
    %sin10 = train.sin %y10 : tensor<6x5xf32>
    %p10 = train.mul %sin10, %weight10 : tensor<6x5xf32>, tensor<6x5xf32>
    %r10 = train.reduce_sum %p10 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    %t3 = train.add %t2, %r4 : tensor<f32>, tensor<f32>
    %t4 = train.add %t3, %r5 : tensor<f32>, tensor<f32>
    %t5 = train.add %t4, %r6 : tensor<f32>, tensor<f32>
    %t6 = train.add %t5, %r7 : tensor<f32>, tensor<f32>
    %t7 = train.add %t6, %r8 : tensor<f32>, tensor<f32>
    %t8 = train.add %t7, %r9 : tensor<f32>, tensor<f32>
    %t9 = train.add %t8, %r10 : tensor<f32>, tensor<f32>
    train.return %t9 : tensor<f32>
  }
  train.func @elements_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %b = train.read @b : tensor<5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10 = train.call @elements(%x, %b) : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %l0 = train.constant dense<0.0> : tensor<f32>
    %h0 = train.constant dense<0.3125152587890625> : tensor<f32>
    %m0 = train.maximum %x, %l0 : tensor<6x5xf32>, tensor<f32>
    %w0 = train.minimum %m0, %h0 : tensor<6x5xf32>, tensor<f32>
    %l1 = train.constant dense<-1.5> : tensor<f32>
    %h1 = train.constant dense<0.0> : tensor<f32>
    %m1 = train.maximum %x, %l1 : tensor<6x5xf32>, tensor<f32>
    %w1 = train.minimum %m1, %h1 : tensor<6x5xf32>, tensor<f32>
    %l2 = train.constant dense<0.3125152587890625> : tensor<f32>
    %h2 = train.constant dense<1000.0> : tensor<f32>
    %m2 = train.maximum %x, %l2 : tensor<6x5xf32>, tensor<f32>
    %w2 = train.minimum %m2, %h2 : tensor<6x5xf32>, tensor<f32>
    %l3 = train.constant dense<-1000.0> : tensor<f32>
    %h3 = train.constant dense<-0.25> : tensor<f32>
    %m3 = train.maximum %x, %l3 : tensor<6x5xf32>, tensor<f32>
    %w3 = train.minimum %m3, %h3 : tensor<6x5xf32>, tensor<f32>
    %l4 = train.constant dense<1000.0> : tensor<f32>
    %h4 = train.constant dense<2000.0> : tensor<f32>
    %m4 = train.maximum %x, %l4 : tensor<6x5xf32>, tensor<f32>
    %w4 = train.minimum %m4, %h4 : tensor<6x5xf32>, tensor<f32>
    %s5 = train.constant dense<-1.5> : tensor<f32>
    %z5 = train.constant dense<0.0> : tensor<f32>
    %c5 = train.compare ge %x, %z5 : tensor<6x5xf32>, tensor<f32>
    %n5 = train.mul %x, %s5 : tensor<6x5xf32>, tensor<f32>
    %w5 = train.select %c5, %x, %n5 : tensor<6x5xi1>, tensor<6x5xf32>, tensor<6x5xf32>
    %s6 = train.constant dense<0.0> : tensor<f32>
    %z6 = train.constant dense<0.0> : tensor<f32>
    %c6 = train.compare ge %x, %z6 : tensor<6x5xf32>, tensor<f32>
    %n6 = train.mul %x, %s6 : tensor<6x5xf32>, tensor<f32>
    %w6 = train.select %c6, %x, %n6 : tensor<6x5xi1>, tensor<6x5xf32>, tensor<6x5xf32>
    %s7 = train.constant dense<0.3125152587890625> : tensor<f32>
    %z7 = train.constant dense<0.0> : tensor<f32>
    %c7 = train.compare ge %x, %z7 : tensor<6x5xf32>, tensor<f32>
    %n7 = train.mul %x, %s7 : tensor<6x5xf32>, tensor<f32>
    %w7 = train.select %c7, %x, %n7 : tensor<6x5xi1>, tensor<6x5xf32>, tensor<6x5xf32>
    %s8 = train.constant dense<1000.0> : tensor<f32>
    %z8 = train.constant dense<0.0> : tensor<f32>
    %c8 = train.compare ge %x, %z8 : tensor<6x5xf32>, tensor<f32>
    %n8 = train.mul %x, %s8 : tensor<6x5xf32>, tensor<f32>
    %w8 = train.select %c8, %x, %n8 : tensor<6x5xi1>, tensor<6x5xf32>, tensor<6x5xf32>
    %w9 = train.minimum %x, %b : tensor<6x5xf32>, tensor<5xf32>
    %w10 = train.maximum %x, %b : tensor<6x5xf32>, tensor<5xf32>
    %d0 = train.sub %y0, %w0 : tensor<6x5xf32>, tensor<6x5xf32>
    %q0 = train.square %d0 : tensor<6x5xf32>
    %r0 = train.reduce_sum %q0 over [0, 1] : tensor<6x5xf32>
    %d1 = train.sub %y1, %w1 : tensor<6x5xf32>, tensor<6x5xf32>
    %q1 = train.square %d1 : tensor<6x5xf32>
    %r1 = train.reduce_sum %q1 over [0, 1] : tensor<6x5xf32>
    %d2 = train.sub %y2, %w2 : tensor<6x5xf32>, tensor<6x5xf32>
    %q2 = train.square %d2 : tensor<6x5xf32>
    %r2 = train.reduce_sum %q2 over [0, 1] : tensor<6x5xf32>
    %d3 = train.sub %y3, %w3 : tensor<6x5xf32>, tensor<6x5xf32>
    %q3 = train.square %d3 : tensor<6x5xf32>
    %r3 = train.reduce_sum %q3 over [0, 1] : tensor<6x5xf32>
    %d4 = train.sub %y4, %w4 : tensor<6x5xf32>, tensor<6x5xf32>
    %q4 = train.square %d4 : tensor<6x5xf32>
    %r4 = train.reduce_sum %q4 over [0, 1] : tensor<6x5xf32>
    %d5 = train.sub %y5, %w5 : tensor<6x5xf32>, tensor<6x5xf32>
    %q5 = train.square %d5 : tensor<6x5xf32>
    %r5 = train.reduce_sum %q5 over [0, 1] : tensor<6x5xf32>
    %d6 = train.sub %y6, %w6 : tensor<6x5xf32>, tensor<6x5xf32>
    %q6 = train.square %d6 : tensor<6x5xf32>
    %r6 = train.reduce_sum %q6 over [0, 1] : tensor<6x5xf32>
    %d7 = train.sub %y7, %w7 : tensor<6x5xf32>, tensor<6x5xf32>
    %q7 = train.square %d7 : tensor<6x5xf32>
    %r7 = train.reduce_sum %q7 over [0, 1] : tensor<6x5xf32>
    %d8 = train.sub %y8, %w8 : tensor<6x5xf32>, tensor<6x5xf32>
    %q8 = train.square %d8 : tensor<6x5xf32>
    %r8 = train.reduce_sum %q8 over [0, 1] : tensor<6x5xf32>
    %d9 = train.sub %y9, %w9 : tensor<6x5xf32>, tensor<6x5xf32>
    %q9 = train.square %d9 : tensor<6x5xf32>
    %r9 = train.reduce_sum %q9 over [0, 1] : tensor<6x5xf32>
    %d10 = train.sub %y10, %w10 : tensor<6x5xf32>, tensor<6x5xf32>
    %q10 = train.square %d10 : tensor<6x5xf32>
    %r10 = train.reduce_sum %q10 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    %t3 = train.add %t2, %r4 : tensor<f32>, tensor<f32>
    %t4 = train.add %t3, %r5 : tensor<f32>, tensor<f32>
    %t5 = train.add %t4, %r6 : tensor<f32>, tensor<f32>
    %t6 = train.add %t5, %r7 : tensor<f32>, tensor<f32>
    %t7 = train.add %t6, %r8 : tensor<f32>, tensor<f32>
    %t8 = train.add %t7, %r9 : tensor<f32>, tensor<f32>
    %t9 = train.add %t8, %r10 : tensor<f32>, tensor<f32>
    train.return %t9 : tensor<f32>
  }
  train.func @pads(%x: tensor<6x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>) {
    %0 = train.pad %x value -1.5 low [0, 0] high [1, 0] interior [0, 0] : tensor<6x5xf32>
    %1 = train.pad %x value 0.0 low [0, 0] high [1, 0] interior [0, 0] : tensor<6x5xf32>
    %2 = train.pad %x value 0.3125152587890625 low [0, 0] high [1, 0] interior [0, 0] : tensor<6x5xf32>
    %3 = train.pad %x value 1000.0 low [0, 0] high [1, 0] interior [0, 0] : tensor<6x5xf32>
    train.return %0, %1, %2, %3 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>
  }
  train.func @of_pads(%weight0: tensor<7x5xf32>, %weight1: tensor<7x5xf32>, %weight2: tensor<7x5xf32>, %weight3: tensor<7x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3 = train.call @pads(%x) : (tensor<6x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>)
    %sin0 = train.sin %y0 : tensor<7x5xf32>
    %p0 = train.mul %sin0, %weight0 : tensor<7x5xf32>, tensor<7x5xf32>
    %r0 = train.reduce_sum %p0 over [0, 1] : tensor<7x5xf32>
    %sin1 = train.sin %y1 : tensor<7x5xf32>
    %p1 = train.mul %sin1, %weight1 : tensor<7x5xf32>, tensor<7x5xf32>
    %r1 = train.reduce_sum %p1 over [0, 1] : tensor<7x5xf32>
    %sin2 = train.sin %y2 : tensor<7x5xf32>
    %p2 = train.mul %sin2, %weight2 : tensor<7x5xf32>, tensor<7x5xf32>
    %r2 = train.reduce_sum %p2 over [0, 1] : tensor<7x5xf32>
    %sin3 = train.sin %y3 : tensor<7x5xf32>
    %p3 = train.mul %sin3, %weight3 : tensor<7x5xf32>, tensor<7x5xf32>
    %r3 = train.reduce_sum %p3 over [0, 1] : tensor<7x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.func @pads_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3 = train.call @pads(%x) : (tensor<6x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>)
    %c0 = train.constant dense<-1.5> : tensor<1x5xf32>
    %w0 = train.concat %x, %c0 along 0 : tensor<6x5xf32>, tensor<1x5xf32>
    %c1 = train.constant dense<0.0> : tensor<1x5xf32>
    %w1 = train.concat %x, %c1 along 0 : tensor<6x5xf32>, tensor<1x5xf32>
    %c2 = train.constant dense<0.3125152587890625> : tensor<1x5xf32>
    %w2 = train.concat %x, %c2 along 0 : tensor<6x5xf32>, tensor<1x5xf32>
    %c3 = train.constant dense<1000.0> : tensor<1x5xf32>
    %w3 = train.concat %x, %c3 along 0 : tensor<6x5xf32>, tensor<1x5xf32>
    %d0 = train.sub %y0, %w0 : tensor<7x5xf32>, tensor<7x5xf32>
    %q0 = train.square %d0 : tensor<7x5xf32>
    %r0 = train.reduce_sum %q0 over [0, 1] : tensor<7x5xf32>
    %d1 = train.sub %y1, %w1 : tensor<7x5xf32>, tensor<7x5xf32>
    %q1 = train.square %d1 : tensor<7x5xf32>
    %r1 = train.reduce_sum %q1 over [0, 1] : tensor<7x5xf32>
    %d2 = train.sub %y2, %w2 : tensor<7x5xf32>, tensor<7x5xf32>
    %q2 = train.square %d2 : tensor<7x5xf32>
    %r2 = train.reduce_sum %q2 over [0, 1] : tensor<7x5xf32>
    %d3 = train.sub %y3, %w3 : tensor<7x5xf32>, tensor<7x5xf32>
    %q3 = train.square %d3 : tensor<7x5xf32>
    %r3 = train.reduce_sum %q3 over [0, 1] : tensor<7x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.func @norms(%x: tensor<6x5xf32>, %b: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<4x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
    %0 = train.layer_norm %x, %b, %b eps 1000.0 : tensor<6x5xf32>, tensor<5xf32>, tensor<5xf32>
    %1 = train.rms_norm %x, %b eps 1000.0 : tensor<6x5xf32>, tensor<5xf32>
    %2 = train.batch_norm %x, %b, %b running @mean, @variance momentum 0.0 eps 1000.0 population : tensor<6x5xf32>, tensor<5xf32>, tensor<5xf32>
    %v = train.constant dense<2> : tensor<i32>
    %all = train.batch_norm %x, %b, %b valid %v running @mean2, @variance2 momentum 1.0 eps 0.3125152587890625 {batch_rows = 3 : i64} : tensor<6x5xf32>, tensor<5xf32>, tensor<5xf32>
    %3 = train.slice %all from [0, 0] sizes [4, 5] strides [1, 1] : tensor<6x5xf32>
    %4, %mean, %scale = train.layer_norm_grad %x, %b, %x eps 1000.0 : tensor<6x5xf32>, tensor<5xf32>, tensor<6x5xf32>
    %5, %size = train.rms_norm_grad %x, %b, %x eps 1000.0 : tensor<6x5xf32>, tensor<5xf32>, tensor<6x5xf32>
    train.return %0, %1, %2, %3, %4, %5 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<4x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  train.func @of_norms(%weight0: tensor<6x5xf32>, %weight1: tensor<6x5xf32>, %weight2: tensor<6x5xf32>, %weight3: tensor<4x5xf32>, %weight4: tensor<6x5xf32>, %weight5: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %b = train.read @b : tensor<5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5 = train.call @norms(%x, %b) : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<4x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %sin0 = train.sin %y0 : tensor<6x5xf32>
    %p0 = train.mul %sin0, %weight0 : tensor<6x5xf32>, tensor<6x5xf32>
    %r0 = train.reduce_sum %p0 over [0, 1] : tensor<6x5xf32>
    %sin1 = train.sin %y1 : tensor<6x5xf32>
    %p1 = train.mul %sin1, %weight1 : tensor<6x5xf32>, tensor<6x5xf32>
    %r1 = train.reduce_sum %p1 over [0, 1] : tensor<6x5xf32>
    %sin2 = train.sin %y2 : tensor<6x5xf32>
    %p2 = train.mul %sin2, %weight2 : tensor<6x5xf32>, tensor<6x5xf32>
    %r2 = train.reduce_sum %p2 over [0, 1] : tensor<6x5xf32>
    %sin3 = train.sin %y3 : tensor<4x5xf32>
    %p3 = train.mul %sin3, %weight3 : tensor<4x5xf32>, tensor<4x5xf32>
    %r3 = train.reduce_sum %p3 over [0, 1] : tensor<4x5xf32>
    %sin4 = train.sin %y4 : tensor<6x5xf32>
    %p4 = train.mul %sin4, %weight4 : tensor<6x5xf32>, tensor<6x5xf32>
    %r4 = train.reduce_sum %p4 over [0, 1] : tensor<6x5xf32>
    %sin5 = train.sin %y5 : tensor<6x5xf32>
    %p5 = train.mul %sin5, %weight5 : tensor<6x5xf32>, tensor<6x5xf32>
    %r5 = train.reduce_sum %p5 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    %t3 = train.add %t2, %r4 : tensor<f32>, tensor<f32>
    %t4 = train.add %t3, %r5 : tensor<f32>, tensor<f32>
    train.return %t4 : tensor<f32>
  }
  train.func @norms_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %b = train.read @b : tensor<5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5 = train.call @norms(%x, %b) : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<4x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %eps = train.constant dense<1000.0> : tensor<f32>
    %a0 = train.reduce_mean %x over [1] : tensor<6x5xf32>
    %b0 = train.reshape %a0 : tensor<6xf32> to tensor<6x1xf32>
    %e0 = train.sub %x, %b0 : tensor<6x5xf32>, tensor<6x1xf32>
    %f0 = train.square %e0 : tensor<6x5xf32>
    %g0 = train.reduce_mean %f0 over [1] : tensor<6x5xf32>
    %h0 = train.reshape %g0 : tensor<6xf32> to tensor<6x1xf32>
    %i0 = train.add %h0, %eps : tensor<6x1xf32>, tensor<f32>
    %j0 = train.sqrt %i0 : tensor<6x1xf32>
    %k0 = train.div %e0, %j0 : tensor<6x5xf32>, tensor<6x1xf32>
    %l0 = train.mul %k0, %b : tensor<6x5xf32>, tensor<5xf32>
    %w0 = train.add %l0, %b : tensor<6x5xf32>, tensor<5xf32>
    %f1 = train.square %x : tensor<6x5xf32>
    %g1 = train.reduce_mean %f1 over [1] : tensor<6x5xf32>
    %h1 = train.reshape %g1 : tensor<6xf32> to tensor<6x1xf32>
    %i1 = train.add %h1, %eps : tensor<6x1xf32>, tensor<f32>
    %j1 = train.sqrt %i1 : tensor<6x1xf32>
    %k1 = train.div %x, %j1 : tensor<6x5xf32>, tensor<6x1xf32>
    %l1 = train.mul %k1, %b : tensor<6x5xf32>, tensor<5xf32>
    %w1 = train.mul %k1, %b : tensor<6x5xf32>, tensor<5xf32>
    %a2 = train.reduce_mean %x over [0] : tensor<6x5xf32>
    %b2 = train.reshape %a2 : tensor<5xf32> to tensor<1x5xf32>
    %e2 = train.sub %x, %b2 : tensor<6x5xf32>, tensor<1x5xf32>
    %f2 = train.square %e2 : tensor<6x5xf32>
    %g2 = train.reduce_mean %f2 over [0] : tensor<6x5xf32>
    %h2 = train.reshape %g2 : tensor<5xf32> to tensor<1x5xf32>
    %i2 = train.add %h2, %eps : tensor<1x5xf32>, tensor<f32>
    %j2 = train.sqrt %i2 : tensor<1x5xf32>
    %k2 = train.div %e2, %j2 : tensor<6x5xf32>, tensor<1x5xf32>
    %l2 = train.mul %k2, %b : tensor<6x5xf32>, tensor<5xf32>
    %w2 = train.add %l2, %b : tensor<6x5xf32>, tensor<5xf32>
    %eps3 = train.constant dense<0.3125152587890625> : tensor<f32>
    %four = train.slice %x from [0, 0] sizes [4, 5] strides [1, 1] : tensor<6x5xf32>
    %a3 = train.reduce_mean %four over [0] : tensor<4x5xf32>
    %b3 = train.reshape %a3 : tensor<5xf32> to tensor<1x5xf32>
    %e3 = train.sub %four, %b3 : tensor<4x5xf32>, tensor<1x5xf32>
    %f3 = train.square %e3 : tensor<4x5xf32>
    %g3 = train.reduce_mean %f3 over [0] : tensor<4x5xf32>
    %h3 = train.reshape %g3 : tensor<5xf32> to tensor<1x5xf32>
    %i3 = train.add %h3, %eps3 : tensor<1x5xf32>, tensor<f32>
    %j3 = train.sqrt %i3 : tensor<1x5xf32>
    %k3 = train.div %e3, %j3 : tensor<4x5xf32>, tensor<1x5xf32>
    %l3 = train.mul %k3, %b : tensor<4x5xf32>, tensor<5xf32>
    %w3 = train.add %l3, %b : tensor<4x5xf32>, tensor<5xf32>
    %d0 = train.sub %y0, %w0 : tensor<6x5xf32>, tensor<6x5xf32>
    %q0 = train.square %d0 : tensor<6x5xf32>
    %r0 = train.reduce_sum %q0 over [0, 1] : tensor<6x5xf32>
    %d1 = train.sub %y1, %w1 : tensor<6x5xf32>, tensor<6x5xf32>
    %q1 = train.square %d1 : tensor<6x5xf32>
    %r1 = train.reduce_sum %q1 over [0, 1] : tensor<6x5xf32>
    %d2 = train.sub %y2, %w2 : tensor<6x5xf32>, tensor<6x5xf32>
    %q2 = train.square %d2 : tensor<6x5xf32>
    %r2 = train.reduce_sum %q2 over [0, 1] : tensor<6x5xf32>
    %d3 = train.sub %y3, %w3 : tensor<4x5xf32>, tensor<4x5xf32>
    %q3 = train.square %d3 : tensor<4x5xf32>
    %r3 = train.reduce_sum %q3 over [0, 1] : tensor<4x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.func @attentions(%x: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
    %0 = train.attention %x, %x, %x scale -1.5 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %1 = train.attention %x, %x, %x scale 0.0 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %2 = train.attention %x, %x, %x scale 0.3125152587890625 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    %3 = train.attention %x, %x, %x scale 1000.0 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
    train.return %0, %1, %2, %3 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  train.func @of_attentions(%weight0: tensor<6x5xf32>, %weight1: tensor<6x5xf32>, %weight2: tensor<6x5xf32>, %weight3: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3 = train.call @attentions(%x) : (tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %sin0 = train.sin %y0 : tensor<6x5xf32>
    %p0 = train.mul %sin0, %weight0 : tensor<6x5xf32>, tensor<6x5xf32>
    %r0 = train.reduce_sum %p0 over [0, 1] : tensor<6x5xf32>
    %sin1 = train.sin %y1 : tensor<6x5xf32>
    %p1 = train.mul %sin1, %weight1 : tensor<6x5xf32>, tensor<6x5xf32>
    %r1 = train.reduce_sum %p1 over [0, 1] : tensor<6x5xf32>
    %sin2 = train.sin %y2 : tensor<6x5xf32>
    %p2 = train.mul %sin2, %weight2 : tensor<6x5xf32>, tensor<6x5xf32>
    %r2 = train.reduce_sum %p2 over [0, 1] : tensor<6x5xf32>
    %sin3 = train.sin %y3 : tensor<6x5xf32>
    %p3 = train.mul %sin3, %weight3 : tensor<6x5xf32>, tensor<6x5xf32>
    %r3 = train.reduce_sum %p3 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.func @attentions_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3 = train.call @attentions(%x) : (tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %s0 = train.constant dense<-1.5> : tensor<f32>
    %a0 = train.matmul %x, %x transpose_rhs : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x6xf32>
    %c0 = train.mul %a0, %s0 : tensor<6x6xf32>, tensor<f32>
    %e0 = train.softmax %c0 : tensor<6x6xf32>
    %w0 = train.matmul %e0, %x : (tensor<6x6xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    %s1 = train.constant dense<0.0> : tensor<f32>
    %a1 = train.matmul %x, %x transpose_rhs : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x6xf32>
    %c1 = train.mul %a1, %s1 : tensor<6x6xf32>, tensor<f32>
    %e1 = train.softmax %c1 : tensor<6x6xf32>
    %w1 = train.matmul %e1, %x : (tensor<6x6xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    %s2 = train.constant dense<0.3125152587890625> : tensor<f32>
    %a2 = train.matmul %x, %x transpose_rhs : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x6xf32>
    %c2 = train.mul %a2, %s2 : tensor<6x6xf32>, tensor<f32>
    %e2 = train.softmax %c2 : tensor<6x6xf32>
    %w2 = train.matmul %e2, %x : (tensor<6x6xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    %s3 = train.constant dense<1000.0> : tensor<f32>
    %a3 = train.matmul %x, %x transpose_rhs : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x6xf32>
    %c3 = train.mul %a3, %s3 : tensor<6x6xf32>, tensor<f32>
    %e3 = train.softmax %c3 : tensor<6x6xf32>
    %w3 = train.matmul %e3, %x : (tensor<6x6xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    %d0 = train.sub %y0, %w0 : tensor<6x5xf32>, tensor<6x5xf32>
    %q0 = train.square %d0 : tensor<6x5xf32>
    %r0 = train.reduce_sum %q0 over [0, 1] : tensor<6x5xf32>
    %d1 = train.sub %y1, %w1 : tensor<6x5xf32>, tensor<6x5xf32>
    %q1 = train.square %d1 : tensor<6x5xf32>
    %r1 = train.reduce_sum %q1 over [0, 1] : tensor<6x5xf32>
    %d2 = train.sub %y2, %w2 : tensor<6x5xf32>, tensor<6x5xf32>
    %q2 = train.square %d2 : tensor<6x5xf32>
    %r2 = train.reduce_sum %q2 over [0, 1] : tensor<6x5xf32>
    %d3 = train.sub %y3, %w3 : tensor<6x5xf32>, tensor<6x5xf32>
    %q3 = train.square %d3 : tensor<6x5xf32>
    %r3 = train.reduce_sum %q3 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.func @draws(%x: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
    %n0 = train.random_normal mean -1.5 std 1.0 key -1 : tensor<6x5xf32>
    %0 = train.mul %x, %n0 : tensor<6x5xf32>, tensor<6x5xf32>
    %n1 = train.random_normal mean 0.0 std 0.3125152587890625 key 2147483647 : tensor<6x5xf32>
    %1 = train.mul %x, %n1 : tensor<6x5xf32>, tensor<6x5xf32>
    %n2 = train.random_normal mean 0.3125152587890625 std 0.0 key 7 : tensor<6x5xf32>
    %2 = train.mul %x, %n2 : tensor<6x5xf32>, tensor<6x5xf32>
    %n3 = train.random_normal mean 1000.0 std 1000.0 key 0 : tensor<6x5xf32>
    %3 = train.mul %x, %n3 : tensor<6x5xf32>, tensor<6x5xf32>
    %n4 = train.random_uniform from 0.3125152587890625 to 1000.0 key -1 : tensor<6x5xf32>
    %4 = train.mul %x, %n4 : tensor<6x5xf32>, tensor<6x5xf32>
    %n5 = train.random_uniform from -1.5 to 0.3125152587890625 key 2147483647 : tensor<6x5xf32>
    %5 = train.mul %x, %n5 : tensor<6x5xf32>, tensor<6x5xf32>
    %n6 = train.random_uniform from 0.0 to 1.0 key 7 : tensor<6x5xf32>
    %6 = train.mul %x, %n6 : tensor<6x5xf32>, tensor<6x5xf32>
    %n7 = train.random_uniform from -1.5 to 0.0 key 8 : tensor<6x5xf32>
    %7 = train.mul %x, %n7 : tensor<6x5xf32>, tensor<6x5xf32>
    %n8 = train.random_uniform from -3.0 to -1.5 key 9 : tensor<6x5xf32>
    %8 = train.mul %x, %n8 : tensor<6x5xf32>, tensor<6x5xf32>
    %n9 = train.random_uniform from 1000.0 to 1001.5 key 10 : tensor<6x5xf32>
    %9 = train.mul %x, %n9 : tensor<6x5xf32>, tensor<6x5xf32>
    %n10 = train.random_bernoulli 0.0 key -1 : tensor<6x5xf32>
    %10 = train.mul %x, %n10 : tensor<6x5xf32>, tensor<6x5xf32>
    %n11 = train.random_bernoulli 1.0 key 2147483647 : tensor<6x5xf32>
    %11 = train.mul %x, %n11 : tensor<6x5xf32>, tensor<6x5xf32>
    %12 = train.dropout %x rate 0.0 key -1 : tensor<6x5xf32>
    %13 = train.dropout %x rate 0.5 key 2147483647 : tensor<6x5xf32>
    %14 = train.dropout %x rate 0.25 key 0 : tensor<6x5xf32>
    train.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  train.func @of_draws(%weight0: tensor<6x5xf32>, %weight1: tensor<6x5xf32>, %weight2: tensor<6x5xf32>, %weight3: tensor<6x5xf32>, %weight4: tensor<6x5xf32>, %weight5: tensor<6x5xf32>, %weight6: tensor<6x5xf32>, %weight7: tensor<6x5xf32>, %weight8: tensor<6x5xf32>, %weight9: tensor<6x5xf32>, %weight10: tensor<6x5xf32>, %weight11: tensor<6x5xf32>, %weight12: tensor<6x5xf32>, %weight13: tensor<6x5xf32>, %weight14: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12, %y13, %y14 = train.call @draws(%x) : (tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %sin0 = train.sin %y0 : tensor<6x5xf32>
    %p0 = train.mul %sin0, %weight0 : tensor<6x5xf32>, tensor<6x5xf32>
    %r0 = train.reduce_sum %p0 over [0, 1] : tensor<6x5xf32>
    %sin1 = train.sin %y1 : tensor<6x5xf32>
    %p1 = train.mul %sin1, %weight1 : tensor<6x5xf32>, tensor<6x5xf32>
    %r1 = train.reduce_sum %p1 over [0, 1] : tensor<6x5xf32>
    %sin2 = train.sin %y2 : tensor<6x5xf32>
    %p2 = train.mul %sin2, %weight2 : tensor<6x5xf32>, tensor<6x5xf32>
    %r2 = train.reduce_sum %p2 over [0, 1] : tensor<6x5xf32>
    %sin3 = train.sin %y3 : tensor<6x5xf32>
    %p3 = train.mul %sin3, %weight3 : tensor<6x5xf32>, tensor<6x5xf32>
    %r3 = train.reduce_sum %p3 over [0, 1] : tensor<6x5xf32>
    %sin4 = train.sin %y4 : tensor<6x5xf32>
    %p4 = train.mul %sin4, %weight4 : tensor<6x5xf32>, tensor<6x5xf32>
    %r4 = train.reduce_sum %p4 over [0, 1] : tensor<6x5xf32>
    %sin5 = train.sin %y5 : tensor<6x5xf32>
    %p5 = train.mul %sin5, %weight5 : tensor<6x5xf32>, tensor<6x5xf32>
    %r5 = train.reduce_sum %p5 over [0, 1] : tensor<6x5xf32>
    %sin6 = train.sin %y6 : tensor<6x5xf32>
    %p6 = train.mul %sin6, %weight6 : tensor<6x5xf32>, tensor<6x5xf32>
    %r6 = train.reduce_sum %p6 over [0, 1] : tensor<6x5xf32>
    %sin7 = train.sin %y7 : tensor<6x5xf32>
    %p7 = train.mul %sin7, %weight7 : tensor<6x5xf32>, tensor<6x5xf32>
    %r7 = train.reduce_sum %p7 over [0, 1] : tensor<6x5xf32>
    %sin8 = train.sin %y8 : tensor<6x5xf32>
    %p8 = train.mul %sin8, %weight8 : tensor<6x5xf32>, tensor<6x5xf32>
    %r8 = train.reduce_sum %p8 over [0, 1] : tensor<6x5xf32>
    %sin9 = train.sin %y9 : tensor<6x5xf32>
    %p9 = train.mul %sin9, %weight9 : tensor<6x5xf32>, tensor<6x5xf32>
    %r9 = train.reduce_sum %p9 over [0, 1] : tensor<6x5xf32>
    %sin10 = train.sin %y10 : tensor<6x5xf32>
    %p10 = train.mul %sin10, %weight10 : tensor<6x5xf32>, tensor<6x5xf32>
    %r10 = train.reduce_sum %p10 over [0, 1] : tensor<6x5xf32>
    %sin11 = train.sin %y11 : tensor<6x5xf32>
    %p11 = train.mul %sin11, %weight11 : tensor<6x5xf32>, tensor<6x5xf32>
    %r11 = train.reduce_sum %p11 over [0, 1] : tensor<6x5xf32>
    %sin12 = train.sin %y12 : tensor<6x5xf32>
    %p12 = train.mul %sin12, %weight12 : tensor<6x5xf32>, tensor<6x5xf32>
    %r12 = train.reduce_sum %p12 over [0, 1] : tensor<6x5xf32>
    %sin13 = train.sin %y13 : tensor<6x5xf32>
    %p13 = train.mul %sin13, %weight13 : tensor<6x5xf32>, tensor<6x5xf32>
    %r13 = train.reduce_sum %p13 over [0, 1] : tensor<6x5xf32>
    %sin14 = train.sin %y14 : tensor<6x5xf32>
    %p14 = train.mul %sin14, %weight14 : tensor<6x5xf32>, tensor<6x5xf32>
    %r14 = train.reduce_sum %p14 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r0, %r1 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r2 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r3 : tensor<f32>, tensor<f32>
    %t3 = train.add %t2, %r4 : tensor<f32>, tensor<f32>
    %t4 = train.add %t3, %r5 : tensor<f32>, tensor<f32>
    %t5 = train.add %t4, %r6 : tensor<f32>, tensor<f32>
    %t6 = train.add %t5, %r7 : tensor<f32>, tensor<f32>
    %t7 = train.add %t6, %r8 : tensor<f32>, tensor<f32>
    %t8 = train.add %t7, %r9 : tensor<f32>, tensor<f32>
    %t9 = train.add %t8, %r10 : tensor<f32>, tensor<f32>
    %t10 = train.add %t9, %r11 : tensor<f32>, tensor<f32>
    %t11 = train.add %t10, %r12 : tensor<f32>, tensor<f32>
    %t12 = train.add %t11, %r13 : tensor<f32>, tensor<f32>
    %t13 = train.add %t12, %r14 : tensor<f32>, tensor<f32>
    train.return %t13 : tensor<f32>
  }
  train.func @draws_values() -> tensor<f32> {
    %x = train.read @x : tensor<6x5xf32>
    %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12, %y13, %y14 = train.call @draws(%x) : (tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>)
    %zero = train.constant dense<0.0> : tensor<f32>
    %w10 = train.mul %x, %zero : tensor<6x5xf32>, tensor<f32>
    %w11 = train.add %x, %zero : tensor<6x5xf32>, tensor<f32>
    %f = train.constant dense<0.3125152587890625> : tensor<f32>
    %w2 = train.mul %x, %f : tensor<6x5xf32>, tensor<f32>
    %w12 = train.add %x, %zero : tensor<6x5xf32>, tensor<f32>
    %d2 = train.sub %y2, %w2 : tensor<6x5xf32>, tensor<6x5xf32>
    %q2 = train.square %d2 : tensor<6x5xf32>
    %r2 = train.reduce_sum %q2 over [0, 1] : tensor<6x5xf32>
    %d10 = train.sub %y10, %w10 : tensor<6x5xf32>, tensor<6x5xf32>
    %q10 = train.square %d10 : tensor<6x5xf32>
    %r10 = train.reduce_sum %q10 over [0, 1] : tensor<6x5xf32>
    %d11 = train.sub %y11, %w11 : tensor<6x5xf32>, tensor<6x5xf32>
    %q11 = train.square %d11 : tensor<6x5xf32>
    %r11 = train.reduce_sum %q11 over [0, 1] : tensor<6x5xf32>
    %d12 = train.sub %y12, %w12 : tensor<6x5xf32>, tensor<6x5xf32>
    %q12 = train.square %d12 : tensor<6x5xf32>
    %r12 = train.reduce_sum %q12 over [0, 1] : tensor<6x5xf32>
    %t0 = train.add %r2, %r10 : tensor<f32>, tensor<f32>
    %t1 = train.add %t0, %r11 : tensor<f32>, tensor<f32>
    %t2 = train.add %t1, %r12 : tensor<f32>, tensor<f32>
    train.return %t2 : tensor<f32>
  }
  train.step @values_elements minimize @elements_values over [@x, @b] with #train.sgd<lr = 0.1>
  train.step @values_pads minimize @pads_values over [@x] with #train.sgd<lr = 0.1>
  train.step @values_norms minimize @norms_values over [@x, @b] with #train.sgd<lr = 0.1>
  train.step @values_attentions minimize @attentions_values over [@x] with #train.sgd<lr = 0.1>
  train.step @values_draws minimize @draws_values over [@x] with #train.sgd<lr = 0.1>
  train.step @elements_over_all minimize @of_elements over [@x, @b] with #train.sgd<lr = 0.1>
  train.step @pads_over_all minimize @of_pads over [@x] with #train.sgd<lr = 0.1>
  train.step @norms_over_all minimize @of_norms over [@x, @b] with #train.sgd<lr = 0.1>
  train.step @attentions_over_all minimize @of_attentions over [@x] with #train.sgd<lr = 0.1>
  train.step @draws_over_all minimize @of_draws over [@x] with #train.sgd<lr = 0.1>
}
