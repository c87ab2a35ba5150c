// RUN: ampc check %s --also=bf16,f16 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops along a dimension that is not the last: values equal the values between two transposes, gradients are compared with differences.
// CHECK-COUNT-1: step values{{.*}}: loss {{(0|[0-9.]+e-(1[2-9]|[2-9][0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @x : tensor<3x5x7xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @t : tensor<3x5x7xf32> = #train.uniform<low = 0.1, high = 1.0>
  train.param @gamma0 : tensor<3xf32> = #train.normal<mean = 1.0, std = 0.3>
  train.param @beta0 : tensor<3xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.buffer @mean0 : tensor<3xf32> = #train.zeros
  train.buffer @variance0 : tensor<3xf32> = #train.ones
  train.param @gamma1 : tensor<5xf32> = #train.normal<mean = 1.0, std = 0.3>
  train.param @beta1 : tensor<5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.buffer @mean1 : tensor<5xf32> = #train.zeros
  train.buffer @variance1 : tensor<5xf32> = #train.ones
  train.func @along0(%l0: tensor<5x7xi32>, %w0: tensor<5x7xf32>, %weight: tensor<3x5x7xf32>) -> tensor<f32> {
    %x = train.read @x
    %t = train.read @t
    %u = train.neg %t
    %gamma0 = train.read @gamma0
    %beta0 = train.read @beta0
    %y0 = train.softmax %x along 0
    %y1 = train.log_softmax %x along 0
    %y2 = train.layer_norm %x, %gamma0, %beta0 along 0 eps 1.0e-3
    %y3 = train.rms_norm %x, %gamma0 along 0 eps 1.0e-3
    %y4 = train.lrn %x along 0 size 3 alpha 0.5
    %y5 = train.softmax_cross_entropy %x, %l0 along 0 ignore 1 smoothing 0.1
    %y6 = train.softmax_cross_entropy %x, %t along 0 reduce none
    %y7 = train.weighted_cross_entropy %x, %l0, %gamma0 along 0 smoothing 0.2
    %y8 = train.weighted_cross_entropy %x, %t, %gamma0 along 0 reduce none
    %y9 = train.nll %x, %l0 along 0 reduce sum ignore 2
    %y10 = train.nll %x, %l0 along 0 reduce none
    %y11 = train.cosine_loss %x, %t along 0 eps 1.0e-3 reduce none
    %y12 = train.triplet %x, %t, %u along 0 margin 1.0 reduce none
    %n = train.batch_norm %x, %gamma0, %beta0 along 0 running @mean0, @variance0 momentum 0.1 eps 1.0e-2
    %as0 = train.sin %y0
    %a0 = train.add %as0, %y1
    %as1 = train.sin %a0
    %a1 = train.add %as1, %y2
    %as2 = train.sin %a1
    %a2 = train.add %as2, %y3
    %as3 = train.sin %a2
    %a3 = train.add %as3, %y4
    %as4 = train.sin %a3
    %a4 = train.add %as4, %n
    %bs0 = train.sin %y6
    %b0 = train.add %bs0, %y8
    %bs1 = train.sin %b0
    %b1 = train.add %bs1, %y10
    %bs2 = train.sin %b1
    %b2 = train.add %bs2, %y11
    %bs3 = train.sin %b2
    %b3 = train.add %bs3, %y12
    %cs0 = train.sin %y5
    %c0 = train.add %cs0, %y7
    %cs1 = train.sin %c0
    %c1 = train.add %cs1, %y9
    %aw = train.mul %a4, %weight
    %at = train.reduce_sum %aw over [0, 1, 2]
    %bw = train.mul %b3, %w0
    %bt = train.reduce_sum %bw over [0, 1]
    %ab = train.add %at, %bt
    %all = train.add %ab, %c1
    train.return %all : tensor<f32>
  }
  train.func @along1(%l1: tensor<3x7xi32>, %w1: tensor<3x7xf32>, %weight: tensor<3x5x7xf32>) -> tensor<f32> {
    %x = train.read @x
    %t = train.read @t
    %u = train.neg %t
    %gamma1 = train.read @gamma1
    %beta1 = train.read @beta1
    %y0 = train.softmax %x along 1
    %y1 = train.log_softmax %x along 1
    %y2 = train.layer_norm %x, %gamma1, %beta1 along 1 eps 1.0e-3
    %y3 = train.rms_norm %x, %gamma1 along 1 eps 1.0e-3
    %y4 = train.lrn %x along 1 size 3 alpha 0.5
    %y5 = train.group_norm %x, %gamma1, %beta1 along 1 groups 5 eps 1.0e-2
    %y6 = train.instance_norm %x, %gamma1, %beta1 along 1 eps 1.0e-2
    %y7 = train.softmax_cross_entropy %x, %l1 along 1 ignore 1 smoothing 0.1
    %y8 = train.softmax_cross_entropy %x, %t along 1 reduce none
    %y9 = train.weighted_cross_entropy %x, %l1, %gamma1 along 1 smoothing 0.2
    %y10 = train.weighted_cross_entropy %x, %t, %gamma1 along 1 reduce none
    %y11 = train.nll %x, %l1 along 1 reduce sum ignore 2
    %y12 = train.nll %x, %l1 along 1 reduce none
    %y13 = train.cosine_loss %x, %t along 1 eps 1.0e-3 reduce none
    %y14 = train.triplet %x, %t, %u along 1 margin 1.0 reduce none
    %n = train.batch_norm %x, %gamma1, %beta1 along 1 running @mean1, @variance1 momentum 0.1 eps 1.0e-2
    %as0 = train.sin %y0
    %a0 = train.add %as0, %y1
    %as1 = train.sin %a0
    %a1 = train.add %as1, %y2
    %as2 = train.sin %a1
    %a2 = train.add %as2, %y3
    %as3 = train.sin %a2
    %a3 = train.add %as3, %y4
    %as4 = train.sin %a3
    %a4 = train.add %as4, %y5
    %as5 = train.sin %a4
    %a5 = train.add %as5, %y6
    %as6 = train.sin %a5
    %a6 = train.add %as6, %n
    %bs0 = train.sin %y8
    %b0 = train.add %bs0, %y10
    %bs1 = train.sin %b0
    %b1 = train.add %bs1, %y12
    %bs2 = train.sin %b1
    %b2 = train.add %bs2, %y13
    %bs3 = train.sin %b2
    %b3 = train.add %bs3, %y14
    %cs0 = train.sin %y7
    %c0 = train.add %cs0, %y9
    %cs1 = train.sin %c0
    %c1 = train.add %cs1, %y11
    %aw = train.mul %a6, %weight
    %at = train.reduce_sum %aw over [0, 1, 2]
    %bw = train.mul %b3, %w1
    %bt = train.reduce_sum %bw over [0, 1]
    %ab = train.add %at, %bt
    %all = train.add %ab, %c1
    train.return %all : tensor<f32>
  }
  train.func @same(%a: tensor<3x5x7xf32>, %b: tensor<3x5x7xf32>) -> tensor<f32> {
    %0 = train.sub %a, %b
    %1 = train.square %0
    %2 = train.reduce_sum %1 over [0, 1, 2]
    train.return %2 : tensor<f32>
  }
  train.func @same_rows0(%a: tensor<5x7xf32>, %b: tensor<5x7xf32>) -> tensor<f32> {
    %0 = train.sub %a, %b
    %1 = train.square %0
    %2 = train.reduce_sum %1 over [0, 1]
    train.return %2 : tensor<f32>
  }
  train.func @same_rows1(%a: tensor<3x7xf32>, %b: tensor<3x7xf32>) -> tensor<f32> {
    %0 = train.sub %a, %b
    %1 = train.square %0
    %2 = train.reduce_sum %1 over [0, 1]
    train.return %2 : tensor<f32>
  }
  train.func @values0(%l0: tensor<5x7xi32>) -> tensor<f32> {
    %x = train.read @x
    %t = train.read @t
    %u = train.neg %t
    %gamma0 = train.read @gamma0
    %beta0 = train.read @beta0
    %xm = train.transpose %x [1, 2, 0]
    %tm = train.transpose %t [1, 2, 0]
    %um = train.transpose %u [1, 2, 0]
    %y0 = train.softmax %x along 0
    %z0 = train.softmax %xm
    %b0 = train.transpose %z0 [2, 0, 1]
    %d0 = train.call @same(%y0, %b0)
    %y1 = train.log_softmax %x along 0
    %z1 = train.log_softmax %xm
    %b1 = train.transpose %z1 [2, 0, 1]
    %d1 = train.call @same(%y1, %b1)
    %y2 = train.layer_norm %x, %gamma0, %beta0 along 0 eps 1.0e-3
    %z2 = train.layer_norm %xm, %gamma0, %beta0 eps 1.0e-3
    %b2 = train.transpose %z2 [2, 0, 1]
    %d2 = train.call @same(%y2, %b2)
    %y3 = train.rms_norm %x, %gamma0 along 0 eps 1.0e-3
    %z3 = train.rms_norm %xm, %gamma0 eps 1.0e-3
    %b3 = train.transpose %z3 [2, 0, 1]
    %d3 = train.call @same(%y3, %b3)
    %y4 = train.lrn %x along 0 size 3 alpha 0.5
    %z4 = train.lrn %xm size 3 alpha 0.5
    %b4 = train.transpose %z4 [2, 0, 1]
    %d4 = train.call @same(%y4, %b4)
    %y5 = train.softmax_cross_entropy %x, %l0 along 0 ignore 1 smoothing 0.1
    %z5 = train.softmax_cross_entropy %xm, %l0 ignore 1 smoothing 0.1
    %e5 = train.sub %y5, %z5
    %d5 = train.square %e5
    %y6 = train.softmax_cross_entropy %x, %t along 0 reduce none
    %z6 = train.softmax_cross_entropy %xm, %tm reduce none
    %d6 = train.call @same_rows0(%y6, %z6)
    %y7 = train.weighted_cross_entropy %x, %l0, %gamma0 along 0 smoothing 0.2
    %z7 = train.weighted_cross_entropy %xm, %l0, %gamma0 smoothing 0.2
    %e7 = train.sub %y7, %z7
    %d7 = train.square %e7
    %y8 = train.weighted_cross_entropy %x, %t, %gamma0 along 0 reduce none
    %z8 = train.weighted_cross_entropy %xm, %tm, %gamma0 reduce none
    %d8 = train.call @same_rows0(%y8, %z8)
    %y9 = train.nll %x, %l0 along 0 reduce sum ignore 2
    %z9 = train.nll %xm, %l0 reduce sum ignore 2
    %e9 = train.sub %y9, %z9
    %d9 = train.square %e9
    %y10 = train.nll %x, %l0 along 0 reduce none
    %z10 = train.nll %xm, %l0 reduce none
    %d10 = train.call @same_rows0(%y10, %z10)
    %y11 = train.cosine_loss %x, %t along 0 eps 1.0e-3 reduce none
    %z11 = train.cosine_loss %xm, %tm eps 1.0e-3 reduce none
    %d11 = train.call @same_rows0(%y11, %z11)
    %y12 = train.triplet %x, %t, %u along 0 margin 1.0 reduce none
    %z12 = train.triplet %xm, %tm, %um margin 1.0 reduce none
    %d12 = train.call @same_rows0(%y12, %z12)
    %p = train.argmax %x along 0
    %q = train.argmax %xm
    %pf = train.cast %p to f32
    %qf = train.cast %q to f32
    %d13 = train.call @same_rows0(%pf, %qf)
    %s0 = train.add %d0, %d1
    %s1 = train.add %s0, %d2
    %s2 = train.add %s1, %d3
    %s3 = train.add %s2, %d4
    %s4 = train.add %s3, %d5
    %s5 = train.add %s4, %d6
    %s6 = train.add %s5, %d7
    %s7 = train.add %s6, %d8
    %s8 = train.add %s7, %d9
    %s9 = train.add %s8, %d10
    %s10 = train.add %s9, %d11
    %s11 = train.add %s10, %d12
    %s12 = train.add %s11, %d13
    train.return %s12 : tensor<f32>
  }
  train.func @values1(%l1: tensor<3x7xi32>) -> tensor<f32> {
    %x = train.read @x
    %t = train.read @t
    %u = train.neg %t
    %gamma1 = train.read @gamma1
    %beta1 = train.read @beta1
    %xm = train.transpose %x [0, 2, 1]
    %tm = train.transpose %t [0, 2, 1]
    %um = train.transpose %u [0, 2, 1]
    %y0 = train.softmax %x along 1
    %z0 = train.softmax %xm
    %b0 = train.transpose %z0 [0, 2, 1]
    %d0 = train.call @same(%y0, %b0)
    %y1 = train.log_softmax %x along 1
    %z1 = train.log_softmax %xm
    %b1 = train.transpose %z1 [0, 2, 1]
    %d1 = train.call @same(%y1, %b1)
    %y2 = train.layer_norm %x, %gamma1, %beta1 along 1 eps 1.0e-3
    %z2 = train.layer_norm %xm, %gamma1, %beta1 eps 1.0e-3
    %b2 = train.transpose %z2 [0, 2, 1]
    %d2 = train.call @same(%y2, %b2)
    %y3 = train.rms_norm %x, %gamma1 along 1 eps 1.0e-3
    %z3 = train.rms_norm %xm, %gamma1 eps 1.0e-3
    %b3 = train.transpose %z3 [0, 2, 1]
    %d3 = train.call @same(%y3, %b3)
    %y4 = train.lrn %x along 1 size 3 alpha 0.5
    %z4 = train.lrn %xm size 3 alpha 0.5
    %b4 = train.transpose %z4 [0, 2, 1]
    %d4 = train.call @same(%y4, %b4)
    %y5 = train.group_norm %x, %gamma1, %beta1 along 1 groups 5 eps 1.0e-2
    %z5 = train.group_norm %xm, %gamma1, %beta1 groups 5 eps 1.0e-2
    %b5 = train.transpose %z5 [0, 2, 1]
    %d5 = train.call @same(%y5, %b5)
    %y6 = train.instance_norm %x, %gamma1, %beta1 along 1 eps 1.0e-2
    %z6 = train.instance_norm %xm, %gamma1, %beta1 eps 1.0e-2
    %b6 = train.transpose %z6 [0, 2, 1]
    %d6 = train.call @same(%y6, %b6)
    %y7 = train.softmax_cross_entropy %x, %l1 along 1 ignore 1 smoothing 0.1
    %z7 = train.softmax_cross_entropy %xm, %l1 ignore 1 smoothing 0.1
    %e7 = train.sub %y7, %z7
    %d7 = train.square %e7
    %y8 = train.softmax_cross_entropy %x, %t along 1 reduce none
    %z8 = train.softmax_cross_entropy %xm, %tm reduce none
    %d8 = train.call @same_rows1(%y8, %z8)
    %y9 = train.weighted_cross_entropy %x, %l1, %gamma1 along 1 smoothing 0.2
    %z9 = train.weighted_cross_entropy %xm, %l1, %gamma1 smoothing 0.2
    %e9 = train.sub %y9, %z9
    %d9 = train.square %e9
    %y10 = train.weighted_cross_entropy %x, %t, %gamma1 along 1 reduce none
    %z10 = train.weighted_cross_entropy %xm, %tm, %gamma1 reduce none
    %d10 = train.call @same_rows1(%y10, %z10)
    %y11 = train.nll %x, %l1 along 1 reduce sum ignore 2
    %z11 = train.nll %xm, %l1 reduce sum ignore 2
    %e11 = train.sub %y11, %z11
    %d11 = train.square %e11
    %y12 = train.nll %x, %l1 along 1 reduce none
    %z12 = train.nll %xm, %l1 reduce none
    %d12 = train.call @same_rows1(%y12, %z12)
    %y13 = train.cosine_loss %x, %t along 1 eps 1.0e-3 reduce none
    %z13 = train.cosine_loss %xm, %tm eps 1.0e-3 reduce none
    %d13 = train.call @same_rows1(%y13, %z13)
    %y14 = train.triplet %x, %t, %u along 1 margin 1.0 reduce none
    %z14 = train.triplet %xm, %tm, %um margin 1.0 reduce none
    %d14 = train.call @same_rows1(%y14, %z14)
    %p = train.argmax %x along 1
    %q = train.argmax %xm
    %pf = train.cast %p to f32
    %qf = train.cast %q to f32
    %d15 = train.call @same_rows1(%pf, %qf)
    %s0 = train.add %d0, %d1
    %s1 = train.add %s0, %d2
    %s2 = train.add %s1, %d3
    %s3 = train.add %s2, %d4
    %s4 = train.add %s3, %d5
    %s5 = train.add %s4, %d6
    %s6 = train.add %s5, %d7
    %s7 = train.add %s6, %d8
    %s8 = train.add %s7, %d9
    %s9 = train.add %s8, %d10
    %s10 = train.add %s9, %d11
    %s11 = train.add %s10, %d12
    %s12 = train.add %s11, %d13
    %s13 = train.add %s12, %d14
    %s14 = train.add %s13, %d15
    train.return %s14 : tensor<f32>
  }
  train.func @all_values(%l0: tensor<5x7xi32>, %l1: tensor<3x7xi32>) -> tensor<f32> {
    %0 = train.call @values0(%l0)
    %1 = train.call @values1(%l1)
    %2 = train.add %0, %1
    train.return %2 : tensor<f32>
  }
  train.step @values minimize @all_values over [@x] with #train.sgd<lr = 0.1>
  train.step @everything0 minimize @along0 over [@x, @t, @gamma0, @beta0] with #train.sgd<lr = 0.1>
  train.step @over_t0 minimize @along0 over [@t] with #train.sgd<lr = 0.1>
  train.step @everything1 minimize @along1 over [@x, @t, @gamma1, @beta1] with #train.sgd<lr = 0.1>
  train.step @over_t1 minimize @along1 over [@t] with #train.sgd<lr = 0.1>
}
