// The absolute error of an angle and of an exponent counts: all ops that compute either stay in f32, from inputs and constants on, contractions included.
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy=autocast" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy=propagate" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f16 policy=narrow" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s --check-prefix=CUT
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @arguments {
  train.param @w : tensor<16x16xf32> = #train.zeros
  train.param @frequency : tensor<1x16xf32> = #train.zeros

  // Positions times frequencies, with a product and a sum behind.
  // CHECK-LABEL: train.func @positions
  // CHECK:       train.matmul {{.*}}amp.decision<"argument", "the absolute error counts in train.cos at positions/cos#0, {{.*}} : (tensor<8x1xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
  // CHECK:       train.mul {{.*}} : tensor<8x16xf32>, tensor<f32>
  // CHECK:       train.add {{.*}} : tensor<8x16xf32>, tensor<8x16xf32>
  // CHECK:       train.cos {{.*}} : tensor<8x16xf32>
  train.func @positions(%p: tensor<8x1xf32>, %f: tensor<1x16xf32>, %phase: tensor<8x16xf32>, %x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %two = train.constant dense<6.28> : tensor<f32>
    %a = train.matmul %p, %f : (tensor<8x1xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
    %b = train.mul %a, %two : tensor<8x16xf32>, tensor<f32>
    %c = train.add %b, %phase : tensor<8x16xf32>, tensor<8x16xf32>
    %s = train.cos %c : tensor<8x16xf32>
    %h = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %y = train.mul %h, %s : tensor<8x16xf32>, tensor<8x16xf32>
    %z = train.matmul %y, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %z : tensor<8x16xf32>
  }
  // Numbers that the compiler knows.
  // CHECK-LABEL: train.func @known
  // CHECK:       train.add {{.*}} : tensor<8x16xf32>, tensor<f32>
  // CHECK:       train.matmul {{.*}}amp.decision<"argument"{{.*}} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK:       train.sin {{.*}} : tensor<8x16xf32>
  train.func @known(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %first = train.constant dense<65536.0> : tensor<f32>
    %f = train.constant dense<0.1> : tensor<16x16xf32>
    %i = train.iota along 0 : tensor<8x16xi32>
    %n = train.cast %i : tensor<8x16xi32> to tensor<8x16xf32>
    %p = train.add %n, %first : tensor<8x16xf32>, tensor<f32>
    %a = train.matmul %p, %f : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %s = train.sin %a : tensor<8x16xf32>
    %h = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %y = train.mul %h, %s : tensor<8x16xf32>, tensor<8x16xf32>
    %z = train.matmul %y, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %z : tensor<8x16xf32>
  }
  // An input of the program that is an angle or an exponent is not rounded.
  // CHECK-LABEL: train.func @inputs
  // CHECK-NOT:   train.cast
  // CHECK:       train.tan {{.*}} : tensor<8x16xf32>
  // CHECK-NOT:   train.cast {{.*}}%arg
  // CHECK:       train.exp {{.*}} : tensor<8x16xf32>
  train.func @inputs(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %a = train.tan %x : tensor<8x16xf32>
    %b = train.exp %y : tensor<8x16xf32>
    %c = train.mul %a, %b : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %c : tensor<8x16xf32>
  }
  // A contraction with a parameter takes 16 bits like any contraction, but the result is not rounded.
  // CUT-LABEL: train.func @learned
  // CUT:       train.matmul {{.*}} : (tensor<8x1xbf16>, tensor<1x16xbf16>) -> tensor<8x16xf32>
  // CUT:       train.sin {{.*}} : tensor<8x16xf32>
  train.func @learned(%p: tensor<8x1xf32>) -> tensor<8x16xf32> {
    %f = train.read @frequency : tensor<1x16xf32>
    %w = train.read @w : tensor<16x16xf32>
    %a = train.matmul %p, %f : (tensor<8x1xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
    %s = train.sin %a : tensor<8x16xf32>
    %z = train.matmul %s, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %g = train.matmul %a, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %y = train.add %z, %g : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %y : tensor<8x16xf32>
  }
  // A softmax that the model writes out: exponents of at most 0 lose nothing beside 1, and scores are stored as ever.
  // CUT-LABEL: train.func @softmax
  // CUT-NOT:   "argument"
  // CUT-LABEL: train.func @exponents
  train.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %s = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %m = train.reduce_max %s over [1] : tensor<8x16xf32>
    %c = train.reshape %m : tensor<8xf32> to tensor<8x1xf32>
    %d = train.sub %s, %c : tensor<8x16xf32>, tensor<8x1xf32>
    %e = train.exp %d : tensor<8x16xf32>
    %n = train.reduce_sum %e over [1] : tensor<8x16xf32>
    %k = train.reshape %n : tensor<8xf32> to tensor<8x1xf32>
    %p = train.div %e, %k : tensor<8x16xf32>, tensor<8x1xf32>
    %y = train.matmul %p, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %y : tensor<8x16xf32>
  }
  // An exponent without a bound is treated like an angle; an exponent that is a tanh has the bound 1.
  // CUT: train.mul {{.*}}amp.decision<"argument"{{.*}} : tensor<8x16xf32>
  // CUT: train.exp
  // CUT-NOT: "argument"
  // CUT: train.exp
  train.func @exponents(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %w = train.read @w : tensor<16x16xf32>
    %s = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %t = train.mul %s, %s : tensor<8x16xf32>, tensor<8x16xf32>
    %e = train.exp %t : tensor<8x16xf32>
    %a = train.matmul %e, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %b = train.tanh %a : tensor<8x16xf32>
    %c = train.exp %b : tensor<8x16xf32>
    %y = train.matmul %c, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %y : tensor<8x16xf32>
  }
}
