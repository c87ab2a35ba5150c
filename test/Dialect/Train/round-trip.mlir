// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @ops
train.model @ops {
  train.buffer @mean : tensor<3xf32> = #train.zeros
  train.buffer @variance : tensor<3xf32> = #train.ones

  // CHECK-LABEL: train.func @pointwise
  train.func @pointwise(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
    // CHECK: train.add {{.*}} : tensor<4x8xf32>, tensor<8xf32>
    %0 = train.add %x, %y : tensor<4x8xf32>, tensor<8xf32>
    %1 = train.sub %0, %y : tensor<4x8xf32>, tensor<8xf32>
    %2 = train.mul %1, %y : tensor<4x8xf32>, tensor<8xf32>
    %3 = train.div %2, %y : tensor<4x8xf32>, tensor<8xf32>
    // CHECK: train.pow {{.*}} : tensor<4x8xf32>, tensor<8xf32>
    %4 = train.pow %3, %y : tensor<4x8xf32>, tensor<8xf32>
    // CHECK: train.maximum
    %5 = train.maximum %4, %y : tensor<4x8xf32>, tensor<8xf32>
    // CHECK: train.minimum
    %6 = train.minimum %5, %y : tensor<4x8xf32>, tensor<8xf32>
    %7 = train.neg %6 : tensor<4x8xf32>
    %8 = train.square %7 : tensor<4x8xf32>
    // CHECK: train.abs {{.*}} : tensor<4x8xf32>
    %9 = train.abs %8 : tensor<4x8xf32>
    %10 = train.sqrt %9 : tensor<4x8xf32>
    // CHECK: train.rsqrt
    %11 = train.rsqrt %10 : tensor<4x8xf32>
    // CHECK: train.reciprocal
    %12 = train.reciprocal %11 : tensor<4x8xf32>
    %13 = train.exp %12 : tensor<4x8xf32>
    // CHECK: train.log %
    %14 = train.log %13 : tensor<4x8xf32>
    // CHECK: train.log1p
    %15 = train.log1p %14 : tensor<4x8xf32>
    %16 = train.sin %15 : tensor<4x8xf32>
    %17 = train.cos %16 : tensor<4x8xf32>
    // CHECK: train.erf
    %18 = train.erf %17 : tensor<4x8xf32>
    %19 = train.tanh %18 : tensor<4x8xf32>
    // CHECK: train.sigmoid
    %20 = train.sigmoid %19 : tensor<4x8xf32>
    %21 = train.relu %20 : tensor<4x8xf32>
    // CHECK: train.leaky_relu {{.*}} slope 1.000000e-02 : tensor<4x8xf32>
    %22 = train.leaky_relu %21 slope 0.01 : tensor<4x8xf32>
    // CHECK: train.clamp {{.*}} from 0.000000e+00 to 6.000000e+00 : tensor<4x8xf32>
    %23 = train.clamp %22 from 0.0 to 6.0 : tensor<4x8xf32>
    // CHECK: train.gelu %
    %24 = train.gelu %23 : tensor<4x8xf32>
    // CHECK: train.gelu_tanh %
    %25 = train.gelu_tanh %24 : tensor<4x8xf32>
    // CHECK: train.silu
    %26 = train.silu %25 : tensor<4x8xf32>
    // CHECK: train.softplus
    %27 = train.softplus %26 : tensor<4x8xf32>
    %28 = train.floor %27 : tensor<4x8xf32>
    // CHECK: train.stop_gradient
    %29 = train.stop_gradient %28 : tensor<4x8xf32>
    %30 = train.select %m, %29, %y : tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>
    // CHECK: train.logical_and %{{.*}}, %{{.*}} : tensor<4x8xi1>, tensor<4x8xi1>
    %31 = train.logical_and %m, %m : tensor<4x8xi1>, tensor<4x8xi1>
    // CHECK: train.logical_or
    %32 = train.logical_or %31, %m : tensor<4x8xi1>, tensor<4x8xi1>
    // CHECK: train.logical_xor
    %33 = train.logical_xor %32, %m : tensor<4x8xi1>, tensor<4x8xi1>
    // CHECK: train.logical_not %{{.*}} : tensor<4x8xi1>
    %34 = train.logical_not %33 : tensor<4x8xi1>
    train.return %30 : tensor<4x8xf32>
  }

  // CHECK-LABEL: train.func @shapes
  train.func @shapes(%x: tensor<4x8xf32>, %table: tensor<10x8xf32>, %i: tensor<4x3xi32>) -> tensor<4x3x8xf32> {
    // CHECK: train.iota along 1 : tensor<4x8xi32>
    %0 = train.iota along 1 : tensor<4x8xi32>
    // CHECK: train.slice {{.*}} from [1, 0] sizes [3, 4] strides [1, 2] : tensor<4x8xf32>
    %1 = train.slice %x from [1, 0] sizes [3, 4] strides [1, 2] : tensor<4x8xf32>
    // CHECK: train.pad {{.*}} value 1.000000e+00 low [1, 0] high [0, 2] interior [0, 1] : tensor<3x4xf32>
    %2 = train.pad %1 value 1.0 low [1, 0] high [0, 2] interior [0, 1] : tensor<3x4xf32>
    // CHECK: train.concat {{.*}} along 1 : tensor<4x8xf32>, tensor<4x9xf32>
    %3 = train.concat %x, %2 along 1 : tensor<4x8xf32>, tensor<4x9xf32>
    // CHECK: %{{.*}}:2 = train.split {{.*}} into [7, 10] along 1 : tensor<4x17xf32>
    %4, %5 = train.split %3 into [7, 10] along 1 : tensor<4x17xf32>
    // CHECK: train.gather {{.*}} at {{.*}} : tensor<10x8xf32>, tensor<4x3xi32>
    %6 = train.gather %table at %i : tensor<10x8xf32>, tensor<4x3xi32>
    // CHECK: train.embedding {{.*}} at {{.*}} padding 0 : tensor<10x8xf32>, tensor<4x3xi32>
    %7 = train.embedding %table at %i padding 0 : tensor<10x8xf32>, tensor<4x3xi32>
    // CHECK: train.scatter_add {{.*}} at {{.*}} padding 0 : tensor<4x3x8xf32>, tensor<4x3xi32> to tensor<10x8xf32>
    %8 = train.scatter_add %7 at %i padding 0 : tensor<4x3x8xf32>, tensor<4x3xi32> to tensor<10x8xf32>
    train.return %6 : tensor<4x3x8xf32>
  }

  // CHECK-LABEL: train.func @reductions
  train.func @reductions(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    // CHECK: train.reduce_sum {{.*}} over [0] : tensor<4x8xf32>
    %0 = train.reduce_sum %x over [0] : tensor<4x8xf32>
    // CHECK: train.reduce_mean {{.*}} over [0, 1] : tensor<4x8xf32>
    %1 = train.reduce_mean %x over [0, 1] : tensor<4x8xf32>
    // CHECK: train.reduce_max
    %2 = train.reduce_max %x over [1] : tensor<4x8xf32>
    // CHECK: train.reduce_min
    %3 = train.reduce_min %x over [1] : tensor<4x8xf32>
    // CHECK: train.logsumexp {{.*}} over [1] : tensor<4x8xf32>
    %4 = train.logsumexp %x over [1] : tensor<4x8xf32>
    %5 = train.softmax %x : tensor<4x8xf32>
    // CHECK: train.log_softmax
    %6 = train.log_softmax %5 : tensor<4x8xf32>
    // CHECK: train.argmax {{.*}} : tensor<4x8xf32>
    %7 = train.argmax %6 : tensor<4x8xf32>
    train.return %4 : tensor<4xf32>
  }

  // CHECK-LABEL: train.func @norms
  train.func @norms(%x: tensor<8x3xf32>, %v: tensor<3xf32>, %n: tensor<f32>, %rows: tensor<i32>) -> tensor<8x3xf32> {
    // CHECK: train.layer_norm {{.*}} eps 1.000000e-05 : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    %0 = train.layer_norm %x, %v, %v eps 1.0e-5 : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    // CHECK: train.rms_norm {{.*}} eps
    %1 = train.rms_norm %0, %v eps 1.0e-6 : tensor<8x3xf32>, tensor<3xf32>
    // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = train.layer_norm_grad
    %2, %3, %4 = train.layer_norm_grad %1, %v, %x eps 1.0e-5 : tensor<8x3xf32>, tensor<3xf32>, tensor<8x3xf32>
    // CHECK: %{{.*}}, %{{.*}} = train.rms_norm_grad
    %5, %6 = train.rms_norm_grad %1, %v, %x eps 1.0e-6 : tensor<8x3xf32>, tensor<3xf32>, tensor<8x3xf32>
    // CHECK: train.batch_norm {{.*}} valid {{.*}} running @mean, @variance momentum 1.000000e-01 eps 1.000000e-05 : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    %7 = train.batch_norm %x, %v, %v valid %rows running @mean, @variance momentum 0.1 eps 1.0e-5
      : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    // CHECK: train.batch_norm {{.*}} eps 1.000000e-05 population : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    %batch = train.batch_norm %x, %v, %v running @mean, @variance momentum 0.1 eps 1.0e-5 population
      : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>
    // CHECK: train.batch_normalize {{.*}} mean {{.*}} scale {{.*}} gamma {{.*}} beta {{.*}} count
    %8 = train.batch_normalize %7 mean %v scale %v gamma %v beta %v count %n
      : tensor<8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>
    train.return %8 : tensor<8x3xf32>
  }

  // CHECK-LABEL: train.func @pools
  train.func @pools(%x: tensor<8x6x6x3xf32>) -> tensor<8x3xf32> {
    // CHECK: train.max_pool {{.*}} window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<8x6x6x3xf32>
    %y, %where = train.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<8x6x6x3xf32>
    // CHECK: train.max_pool_grad {{.*}} : tensor<8x3x3x3xf32>, tensor<8x3x3x3xi8> to tensor<8x6x6x3xf32>
    %dx = train.max_pool_grad %y, %where window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<8x3x3x3xf32>, tensor<8x3x3x3xi8> to tensor<8x6x6x3xf32>
    // CHECK: train.avg_pool {{.*}} window [3, 2] strides [1, 2] padding [1, 1, 0, 0] : tensor<8x6x6x3xf32>
    %a = train.avg_pool %dx window [3, 2] strides [1, 2] padding [1, 1, 0, 0] : tensor<8x6x6x3xf32>
    // CHECK: train.avg_pool_grad
    %da = train.avg_pool_grad %a window [3, 2] strides [1, 2] padding [1, 1, 0, 0]
      : tensor<8x6x3x3xf32> to tensor<8x6x6x3xf32>
    // CHECK: train.global_avg_pool
    %g = train.global_avg_pool %da : tensor<8x6x6x3xf32>
    train.return %g : tensor<8x3xf32>
  }

  // CHECK-LABEL: train.func @losses
  train.func @losses(%x: tensor<4x10xf32>, %t: tensor<4x10xf32>, %label: tensor<4xi32>, %rows: tensor<i32>) -> tensor<f32> {
    // CHECK: train.softmax_cross_entropy %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<4x10xf32>, tensor<4xi32>
    %0 = train.softmax_cross_entropy %x, %label : tensor<4x10xf32>, tensor<4xi32>
    // CHECK: train.softmax_cross_entropy {{.*}} reduce sum ignore -100 smoothing 1.000000e-01 valid %{{.*}} : tensor<4x10xf32>, tensor<4xi32>
    %1 = train.softmax_cross_entropy %x, %label reduce sum ignore -100 smoothing 0.1 valid %rows : tensor<4x10xf32>, tensor<4xi32>
    // CHECK: train.softmax_cross_entropy {{.*}} reduce none : tensor<4x10xf32>, tensor<4x10xf32>
    %2 = train.softmax_cross_entropy %x, %t reduce none : tensor<4x10xf32>, tensor<4x10xf32>
    // CHECK: train.bce_with_logits
    %3 = train.bce_with_logits %x, %t : tensor<4x10xf32>, tensor<4x10xf32>
    // CHECK: train.mse {{.*}} reduce none : tensor<4x10xf32>, tensor<4x10xf32>
    %4 = train.mse %x, %t reduce none : tensor<4x10xf32>, tensor<4x10xf32>
    // CHECK: train.l1 {{.*}} valid {{.*}} {batch_rows = 2 : i64} : tensor<4x10xf32>, tensor<4x10xf32>
    %5 = train.l1 %x, %t valid %rows {batch_rows = 2 : i64} : tensor<4x10xf32>, tensor<4x10xf32>
    // CHECK: train.smooth_l1 {{.*}} beta 5.000000e-01 reduce sum : tensor<4x10xf32>, tensor<4x10xf32>
    %6 = train.smooth_l1 %x, %t beta 0.5 reduce sum : tensor<4x10xf32>, tensor<4x10xf32>
    // CHECK: train.one_hot
    %7 = train.one_hot %label : tensor<4xi32> to tensor<4x10xf32>
    train.return %0 : tensor<f32>
  }

  // CHECK-LABEL: train.func @random
  train.func @random(%x: tensor<4x8xf32>, %s: tensor<2xi64>) -> tensor<4x8xf32> {
    // CHECK: train.random_uniform from -1.000000e+00 to 1.000000e+00 : tensor<4x8xf32>
    %0 = train.random_uniform from -1.0 to 1.0 : tensor<4x8xf32>
    // CHECK: train.random_normal mean 0.000000e+00 std 1.000000e+00 state(%{{.*}}, %{{.*}}) key 7 : tensor<4x8xf32>
    %1 = train.random_normal mean 0.0 std 1.0 state(%s, %s) key 7 : tensor<4x8xf32>
    // CHECK: train.random_bernoulli 5.000000e-01 : tensor<4x8xf32>
    %2 = train.random_bernoulli 0.5 : tensor<4x8xf32>
    // CHECK: train.dropout {{.*}} rate 1.000000e-01 state(%{{.*}}, %{{.*}}) key 3 : tensor<4x8xf32>
    %3 = train.dropout %x rate 0.1 state(%s, %s) key 3 : tensor<4x8xf32>
    // CHECK: train.stochastic_round {{.*}} count {{.*}} key 9 : tensor<4x8xf32>, tensor<i64>
    %n = train.constant dense<4> : tensor<i64>
    %4 = train.stochastic_round %x count %n key 9 : tensor<4x8xf32>, tensor<i64>
    train.return %3 : tensor<4x8xf32>
  }

  // CHECK-LABEL: train.func @row_gradients
  train.func @row_gradients(%u: tensor<4x3x8xf16>, %i: tensor<4x3xi32>, %t: tensor<100x8xf32>) -> tensor<100x8xf32> {
    // CHECK: train.segment_sum {{.*}} at {{.*}} of 100 : tensor<4x3x8xf16>, tensor<4x3xi32> to tensor<12x8xf32>, tensor<12xi32>
    %s, %r = train.segment_sum %u at %i of 100 : tensor<4x3x8xf16>, tensor<4x3xi32> to tensor<12x8xf32>, tensor<12xi32>
    // CHECK: train.scatter_rows {{.*}} at {{.*}} into {{.*}} : tensor<12x8xf32>, tensor<12xi32>, tensor<100x8xf32>
    %y = train.scatter_rows %s at %r into %t : tensor<12x8xf32>, tensor<12xi32>, tensor<100x8xf32>
    train.return %y : tensor<100x8xf32>
  }

  // CHECK-LABEL: train.func @linear
  train.func @linear(%x: tensor<4x8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>) -> tensor<4x8x32xf32> {
    // CHECK: train.linear %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<4x8x16xf32>, tensor<16x32xf32>
    %0 = train.linear %x, %w : tensor<4x8x16xf32>, tensor<16x32xf32>
    // CHECK: train.linear %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8x16xf32>, tensor<16x32xf32>, tensor<32xf32>
    %1 = train.linear %x, %w, %b : tensor<4x8x16xf32>, tensor<16x32xf32>, tensor<32xf32>
    train.return %1 : tensor<4x8x32xf32>
  }

  // CHECK-LABEL: train.func @attention
  train.func @attention(%q: tensor<2x5x4xbf16>, %k: tensor<2x7x4xbf16>, %bias: tensor<7xf32>) -> tensor<2x5x4xbf16> {
    // CHECK: %{{.*}} = train.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} causal scale 2.500000e-01 : tensor<2x5x4xbf16>, tensor<2x7x4xbf16>, tensor<2x7x4xbf16>, tensor<7xf32>{{$}}
    %0 = train.attention %q, %k, %k bias %bias causal scale 0.25 : tensor<2x5x4xbf16>, tensor<2x7x4xbf16>, tensor<2x7x4xbf16>, tensor<7xf32>
    // CHECK: %[[O:.*]], %[[LSE:.*]] = train.attention %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x5x4xbf16>, tensor<2x7x4xbf16>, tensor<2x7x4xbf16> -> tensor<2x5x4xf32>, tensor<2x2x5xf32>
    %o, %lse = train.attention %q, %k, %k : tensor<2x5x4xbf16>, tensor<2x7x4xbf16>, tensor<2x7x4xbf16> -> tensor<2x5x4xf32>, tensor<2x2x5xf32>
    // CHECK: train.attention_grad %{{.*}}, %{{.*}}, %{{.*}} from %[[O]], %[[LSE]], %{{.*}} : (
    %d:3 = train.attention_grad %q, %k, %k from %o, %lse, %0
      : (tensor<2x5x4xbf16>, tensor<2x7x4xbf16>, tensor<2x7x4xbf16>, tensor<2x5x4xf32>, tensor<2x2x5xf32>, tensor<2x5x4xbf16>)
      -> (tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xf32>)
    train.return %0 : tensor<2x5x4xbf16>
  }
}
