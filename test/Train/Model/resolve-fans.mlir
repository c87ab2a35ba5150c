// Fans of first values: the fans of the op that multiplies data by the tensor, as in torch.nn.init, and of every matrix where there are several.
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics --train-expand-modules --train-name-ops --train-resolve-fans | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @products
train.model @products(batch = 8) {
  // CHECK: @linear : tensor<50x30xf32> = #train.xavier_uniform<fan_in = 50, fan_out = 30>
  train.param @linear : f32[50, 30] = #train.xavier_uniform
  // CHECK: @transposed : tensor<30x50xf32> = #train.xavier_normal<fan_in = 50, fan_out = 30>
  train.param @transposed : f32[30, 50] = #train.xavier_normal
  // CHECK: @left : tensor<30x50xf32> = #train.kaiming_uniform<fan_in = 50>
  train.param @left : f32[30, 50] = #train.kaiming_uniform
  // CHECK: @turned_left : tensor<50x30xf32> = #train.kaiming_uniform<fan_in = 50>
  train.param @turned_left : f32[50, 30] = #train.kaiming_uniform
  // CHECK: @batched : tensor<8x50x30xf32> = #train.kaiming_uniform<fan_in = 50>
  train.param @batched : f32[8, 50, 30] = #train.kaiming_uniform
  // An element of x goes into the outputs of all experts.
  // CHECK: @experts : tensor<4x50x30xf32> = #train.xavier_normal<fan_in = 50, fan_out = 120>
  train.param @experts : f32[4, 50, 30] = #train.xavier_normal
  // CHECK: @routed : tensor<4x50x30xf32> = #train.xavier_normal<fan_in = 50, fan_out = 30>
  train.param @routed : f32[4, 50, 30] = #train.xavier_normal
  // CHECK: @heads : tensor<2x4x50x10xf32> = #train.kaiming_normal<fan_in = 50>
  train.param @heads : f32[2, 4, 50, 10] = #train.kaiming_normal
  // A gate sums over the experts, too.
  // CHECK: @gated : tensor<4x50x30xf32> = #train.kaiming_uniform<fan_in = 200>
  train.param @gated : f32[4, 50, 30] = #train.kaiming_uniform
  // CHECK: @given : tensor<4x50x30xf32> = #train.xavier_uniform<fan_in = 50, fan_out = 30>
  train.param @given : f32[4, 50, 30] = #train.xavier_uniform<fan_in = 50, fan_out = 30>
  // CHECK: @half : tensor<50x30xf32> = #train.xavier_uniform<fan_in = 50, fan_out = 7>
  train.param @half : f32[50, 30] = #train.xavier_uniform<fan_out = 7>
  train.func @run(%x: f32[batch, 50], %g: f32[batch, 4], %own: f32[4, batch, 50]) {
    %0 = train.linear %x, %linear
    %1 = train.matmul %x, %transposed transpose_rhs
    %2 = train.matmul %left, %x transpose_rhs
    %3 = train.matmul %turned_left, %x transpose_lhs transpose_rhs
    %rows = train.reshape %x to [batch, 1, 50]
    %4 = train.matmul %rows, %batched
    %5 = train.einsum "bi,eio->beo" %x, %experts
    %6 = train.einsum "bi,ahio->baho" %x, %heads
    %7 = train.einsum "bi,eio,be->bo" %x, %gated, %g
    %8 = train.mul %given, %experts
    %9 = train.linear %x, %half
    %10 = train.einsum "ebi,eio->ebo" %own, %routed
    train.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
  }
  train.export @run as "run"
}

// -----
// CHECK-LABEL: train.model @windows
train.model @windows(batch = 8) {
  // CHECK: @conv1d : tensor<16x3x5xf32> = #train.xavier_uniform<fan_in = 15, fan_out = 48>
  train.param @conv1d : f32[16, 3, 5] = #train.xavier_uniform
  // CHECK: @conv2d : tensor<16x3x3x5xf32> = #train.xavier_uniform<fan_in = 45, fan_out = 144>
  train.param @conv2d : f32[16, 3, 3, 5] = #train.xavier_uniform
  // CHECK: @conv3d : tensor<16x3x3x3x5xf32> = #train.xavier_uniform<fan_in = 135, fan_out = 432>
  train.param @conv3d : f32[16, 3, 3, 3, 5] = #train.xavier_uniform
  // CHECK: @depthwise : tensor<64x3x3x1xf32> = #train.kaiming_normal<fan_in = 9>
  train.param @depthwise : f32[64, 3, 3, 1] = #train.kaiming_normal
  // torch.nn.ConvTranspose2d(8, 40, 2) has weights [8, 40, 2, 2].
  // CHECK: @up : tensor<8x2x2x40xf32> = #train.xavier_normal<fan_in = 160, fan_out = 32>
  train.param @up : f32[8, 2, 2, 40] = #train.xavier_normal
  // CHECK: @outside : tensor<16x5x3x3xf32> = #train.kaiming_uniform<fan_in = 45>
  train.param @outside : f32[16, 5, 3, 3] = #train.kaiming_uniform
  train.func @run(%s: f32[batch, 12, 5], %i: f32[batch, 8, 8, 5], %v: f32[batch, 4, 4, 4, 5], %d: f32[batch, 8, 8, 64], %t: f32[batch, 4, 4, 8]) {
    %0 = train.conv1d %s, %conv1d strides [1] padding [1, 1]
    %1 = train.conv2d %i, %conv2d strides [1, 1] padding [1, 1, 1, 1]
    %2 = train.conv3d %v, %conv3d strides [1, 1, 1] padding [1, 1, 1, 1, 1, 1]
    %3 = train.conv2d %d, %depthwise strides [1, 1] padding [1, 1, 1, 1] groups 64
    %4 = train.conv_transpose %t, %up strides [2, 2] padding [0, 0, 0, 0]
    %filter = train.transpose %outside [0, 2, 3, 1]
    %5 = train.conv2d %i, %filter strides [1, 1] padding [1, 1, 1, 1]
    train.return %0, %1, %2, %3, %4, %5
  }
  train.export @run as "run"
}

// -----
// Weights made of weights, tied weights, and weights behind calls and in modules.
// CHECK-LABEL: train.model @ways
train.model @ways(batch = 8, width = 12) {
  train.model @layer(out = 6) {
    train.param @weight : f32[width, out] = #train.xavier_uniform
    train.func @apply(%x: f32[batch, width]) {
      %y = train.linear %x, %weight
      train.return %y
    }
  }
  train.use @layer as @small
  train.use @layer as @large(out = 24)
  // CHECK-DAG: @small.weight : tensor<12x6xf32> = #train.xavier_uniform<fan_in = 12, fan_out = 6>
  // CHECK-DAG: @large.weight : tensor<12x24xf32> = #train.xavier_uniform<fan_in = 12, fan_out = 24>
  // An embedding tied to the scores: both readers have the same fan.
  // CHECK-DAG: @table : tensor<100x12xf32> = #train.xavier_normal<fan_in = 12, fan_out = 100>
  train.param @table : f32[100, width] = #train.xavier_normal
  // CHECK-DAG: @flat : tensor<72xbf16> = #train.kaiming_uniform<fan_in = 12>
  train.param @flat : bf16[72] = #train.kaiming_uniform
  // CHECK-DAG: @called : tensor<6x12xf32> = #train.kaiming_uniform<fan_in = 12>
  train.param @called : f32[6, width] = #train.kaiming_uniform
  // CHECK-DAG: @normed : tensor<12x6xf32> = #train.kaiming_uniform<fan_in = 12>
  train.param @normed : f32[width, 6] = #train.kaiming_uniform
  // CHECK-DAG: @base : tensor<12x6xf32> = #train.kaiming_uniform<fan_in = 12>
  train.param @base : f32[width, 6] = #train.kaiming_uniform
  // A product of weights with themselves says nothing.
  // CHECK-DAG: @a : tensor<12x2xf32> = #train.kaiming_uniform<fan_in = 12>
  train.param @a : f32[width, 2] = #train.kaiming_uniform<fan_in = width>
  // CHECK-DAG: @choice : tensor<5x12x6xf32> = #train.kaiming_uniform<fan_in = 12>
  train.param @choice : f32[5, width, 6] = #train.kaiming_uniform
  train.param @b : f32[2, 6] = #train.zeros
  train.func @turned() {
    %t = train.transpose %called [1, 0]
    train.return %t
  }
  train.func @product(%x: f32[batch, width], %w: f32[width, 6]) {
    %y = train.matmul %x, %w
    train.return %y
  }
  train.func @run(%x: f32[batch, width], %i: i32[batch]) {
    %0 = train.apply @small(%x)
    %1 = train.apply @large(%x)
    %2 = train.embedding %table at %i
    %3 = train.matmul %2, %table transpose_rhs
    %wide = train.cast %flat to f32
    %matrix = train.reshape %wide to [width, 6]
    %4 = train.linear %x, %matrix
    %w = train.call @turned()
    %5 = train.call @product(%x, %w)
    %two = train.constant dense<2.0> : tensor<f32>
    %scaled = train.mul %normed, %two
    %squares = train.square %normed
    %sum = train.reduce_sum %squares over [0, 1]
    %unit = train.div %scaled, %sum
    %6 = train.linear %x, %unit
    %delta = train.matmul %a, %b
    %low = train.add %base, %delta
    %7 = train.linear %x, %low
    %each = train.gather %choice at %i
    %rows = train.reshape %x to [batch, 1, width]
    %8 = train.matmul %rows, %each
    // A penalty of products of the weights among themselves.
    %gram = train.matmul %base, %base transpose_rhs
    train.return %0, %1, %3, %4, %5, %6, %7, %8, %gram
  }
  train.export @run as "run"
}

// -----
train.model @vector {
  // expected-error @+1 {{expected fan_in = ... in #train.kaiming_uniform, as no op multiplies data by @bias and adds up the products, or looks up rows}}
  train.param @bias : f32[4] = #train.kaiming_uniform
  train.func @run(%x: f32[8, 4]) {
    %y = train.add %x, %bias
    train.return %y
  }
  train.export @run as "run"
}

// -----
// Positions are data once added to data.
train.model @positions {
  // expected-error @+1 {{expected fan_in = ... and fan_out = ... in #train.xavier_normal, as no op multiplies data by @place}}
  train.param @place : f32[8, 4] = #train.xavier_normal
  train.param @w : f32[4, 4] = #train.kaiming_normal
  train.func @run(%x: f32[8, 4]) {
    %y = train.add %x, %place
    %z = train.linear %y, %w
    train.return %z
  }
  train.export @run as "run"
}

// -----
train.model @different {
  // expected-error @+1 {{expected fan_in = ... in #train.kaiming_uniform, as ops that read @w have different fans}}
  train.param @w : f32[4, 6] = #train.kaiming_uniform
  train.func @run(%x: f32[8, 4], %z: f32[8, 6]) {
    // expected-note @+1 {{fan_in 4 and fan_out 6 here}}
    %0 = train.linear %x, %w
    // expected-note @+1 {{fan_in 6 and fan_out 4 here}}
    %1 = train.matmul %z, %w transpose_rhs
    train.return %0, %1
  }
  train.export @run as "run"
}

// -----
train.model @negative {
  // expected-error @+1 {{expected a positive fan_in, but got 0}}
  train.param @w : f32[4, 6] = #train.kaiming_uniform<fan_in = 4 - 4>
}

// -----
// LoRA: neither the side of A nor that of B is that of the data.
train.model @low_rank(width = 12) {
  train.param @w : f32[width, 6] = #train.kaiming_uniform
  // expected-error @+1 {{expected fan_in = ... in #train.kaiming_uniform, as @a is multiplied by other weights before data}}
  train.param @a : f32[width, 2] = #train.kaiming_uniform
  train.param @b : f32[2, 6] = #train.zeros
  train.func @run(%x: f32[8, width]) {
    %delta = train.matmul %a, %b
    %low = train.add %w, %delta
    // expected-note @+1 {{data is multiplied by the product here}}
    %y = train.linear %x, %low
    train.return %y
  }
  train.export @run as "run"
}

// -----
// Data that is drawn, latents that attend to data, and weights of a layer that dropout thins.
// CHECK-LABEL: train.model @drawn
train.model @drawn {
  // CHECK: @first : tensor<4x6xf32> = #train.kaiming_uniform<fan_in = 4>
  train.param @first : f32[4, 6] = #train.kaiming_uniform
  // CHECK: @second : tensor<5x6xf32> = #train.kaiming_uniform<fan_in = 6>
  train.param @second : f32[5, 6] = #train.kaiming_uniform
  train.param @latents : f32[3, 4] = #train.normal<std = 0.02>
  // CHECK: @query : tensor<4x7xf32> = #train.xavier_uniform<fan_in = 4, fan_out = 7>
  train.param @query : f32[4, 7] = #train.xavier_uniform
  train.func @run(%x: f32[8, 7]) {
    %z = train.random_normal mean 0.0 std 1.0 : f32[8, 4]
    %h = train.matmul %z, %first
    %thin = train.dropout %second rate 0.5
    %y = train.matmul %h, %thin transpose_rhs
    %q = train.linear %latents, %query
    %scores = train.matmul %q, %x transpose_rhs
    train.return %y, %scores
  }
  train.export @run as "run"
}
