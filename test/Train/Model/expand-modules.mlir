// Modules become parameters with full names and inlined functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=STATE

// STATE-LABEL: train.model @net {
// STATE-NEXT: train.param @first.norm.gamma : tensor<4xf32> = #train.ones
// STATE-NEXT: train.param @first.weight : tensor<4x6xf32> = #train.zeros
// STATE-NEXT: train.buffer @first.mean : tensor<6xf32> = #train.zeros
// STATE-NEXT: train.param @last.0.norm.gamma : tensor<6xf32> = #train.ones {frozen}
// STATE-NEXT: train.param @last.0.weight : tensor<6x6xf32> = #train.zeros {frozen}
// STATE-NEXT: train.buffer @last.0.mean : tensor<6xf32> = #train.zeros
// STATE-NEXT: train.param @last.1.norm.gamma : tensor<6xf32> = #train.ones {frozen}
// STATE-NEXT: train.param @last.1.weight : tensor<6x6xf32> = #train.zeros {frozen}
// STATE-NEXT: train.buffer @last.1.mean : tensor<6xf32> = #train.zeros
// STATE-NOT:  train.use
train.model @net(batch = 8, width = 4, depth = 2) {
  train.model @norm(n = width) {
    train.param @gamma : f32[n] = #train.ones
    train.func @apply(%x: f32[batch, n]) {
      %y = train.rms_norm %x, %gamma eps 1.0e-5
      train.return %y
    }
  }
  train.model @layer(out = width, in = out) {
    train.use @norm (n = in)
    train.param @weight : f32[in, out] = #train.zeros
    train.buffer @mean : f32[out] = #train.zeros
    train.func @twice(%x: f32[batch, out]) {
      %y = train.dropout %x rate 0.5
      train.return %y
    }
    train.func @apply(%x: f32[batch, in]) {
      %n = train.apply @norm(%x)
      %y = train.matmul %n, %weight loc("product")
      %z = train.call @twice(%y)
      %u = train.call @twice(%z)
      train.write @mean, %mean
      train.return %u
    }
  }
  train.use @layer as @first (in = width, out = width + 2)
  train.use @layer as @last (out = width + 2) times depth frozen
  // CHECK: train.func @f.batch3(%{{.*}}: tensor<3x4xf32>
  // CHECK: train.matmul {{.*}} -> tensor<3x6xf32> loc("first/product"
  // CHECK-LABEL: train.func @f(
  // CHECK: train.rms_norm {{.*}} : tensor<8x4xf32>, tensor<4xf32> loc("first.norm/rms_norm#0"
  // CHECK: train.matmul {{.*}} -> tensor<8x6xf32> loc("first/product"
  // CHECK: train.dropout {{.*}} loc("first/call#0/twice/dropout#0"
  // CHECK: train.dropout {{.*}} loc("first/call#1/twice/dropout#0"
  // CHECK: train.write @first.mean
  // CHECK: train.read @last.0.weight
  // CHECK: train.rms_norm {{.*}} loc("last.0.norm/rms_norm#0"
  // CHECK: train.rms_norm {{.*}} loc("last.1.norm/rms_norm#0"
  // CHECK-NOT: train.apply
  train.func @f(%x: f32[batch, width]) {
    %a = train.apply @first(%x)
    %b = train.apply @last(%a)
    %c = train.apply @last::@twice(%b)
    train.return %c
  }
  // CHECK: train.export @f.batch3 as "one"
  train.export @f as "one" batch 3
}
