// Loops keep their form in the phase precision: one type per carried value and per stack, casts of weights in front of the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --train-strip-origins --mlir-print-local-scope | FileCheck %s
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 precision-override=own/tanh#0=f32" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=OVERRIDE
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 explain-precision=true" 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 explain-precision=true" 2>&1 | FileCheck %s --check-prefix=NAMES --implicit-check-not="remark: train."
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 policy=autocast" --train-strip-origins | FileCheck %s --check-prefix=AUTOCAST
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16 policy=propagate" --train-strip-origins | FileCheck %s --check-prefix=AUTOCAST
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=f16 policy=narrow" --train-strip-origins | FileCheck %s --check-prefix=NARROW
train.model @m(batch = 4, time = 5, width = 8) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.param @stack : f32[time, width, width] = #train.normal<std = 0.1>
  train.param @wx : f32[width, 4 * width] = #train.xavier_uniform
  train.param @wh : f32[width, 4 * width] = #train.xavier_uniform
  // Training: h is bf16, c is f32, the gates are kept in bf16, and the cotangent of c is f32. Weights are cast nowhere.
  // CHECK-LABEL: train.func @fit.grad
  // CHECK: %[[F:.*]]:{{[0-9]+}} = train.scan carry %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} over %{{.*}} = %{{.*}} : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<5x4x32xf32> {
  // CHECK-NOT: tensor<8x32xf32>
  // CHECK: train.next %[[H1:.*]], %[[C1:.*]] each %[[H1]], {{.*}} : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
  // CHECK: train.scan carry %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}} over {{.*}} times 5 reverse : tensor<4x8xbf16>, tensor<4x8xf32>,
  // The cotangent of the gates is kept in bf16 for the products behind.
  // CHECK: train.next {{.*}} : tensor<4x8xbf16>, tensor<4x8xf32>, tensor<4x32xbf16>
  // CHECK: train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<20x8xbf16>, tensor<20x32xbf16>) -> tensor<8x32xf32>
  // The sum of the cotangents of h, of the next round and of y, has the origin of h.
  // NAMES: remark: loss/lstm#0.grad: train.add computes in 'f32'
  // NAMES: remark: loss/lstm#0.grad: train.add computes in 'f32'
  train.func @loss(%x: f32[time, batch, width]) {
    %y, %h, %c = train.lstm %x, %wx, %wh
    %q = train.square %y
    %l = train.reduce_sum %q over [0, 1, 2]
    train.return %l
  }
  // A state that a product reads is carried in bf16, and the init, an input, is rounded in front. The working copy of the weight is an argument.
  // CHECK-LABEL: train.func @export.own
  // CHECK-SAME: %[[W:arg[0-9]+]]: tensor<8x8xbf16> {train.is = #train.state<@w.bf16>}
  // CHECK: %[[H0:.*]] = train.cast %{{.*}}"rounds of a loop pass bf16 on"{{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK: train.scan carry %[[H:.*]] = %[[H0]] over %{{.*}} = %{{.*}} : tensor<4x8xbf16>, tensor<5x4x8xf32> {
  // CHECK-NEXT: train.matmul %[[H]], %[[W]] {{.*}} : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
  // CHECK: train.tanh
  // CHECK-NEXT: %[[N:.*]] = train.cast
  // CHECK-NEXT: train.next %[[N]] each %[[N]] : tensor<4x8xbf16>, tensor<4x8xbf16>

  // OVERRIDE-LABEL: train.func @export.own
  // OVERRIDE: train.scan carry {{.*}} : tensor<4x8xf32>, tensor<5x4x8xf32> {
  // OVERRIDE: train.tanh {{.*}}#amp.decision<"override"
  // OVERRIDE: train.next {{.*}} : tensor<4x8xf32>, tensor<4x8xf32>

  // AUTOCAST-LABEL: train.func @export.own
  // AUTOCAST: train.scan carry
  // AUTOCAST: train.matmul {{.*}} : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
  // AUTOCAST: train.next

  // NARROW-LABEL: train.func @export.own
  // NARROW: train.scan carry {{.*}} : tensor<4x8xf16>, tensor<5x4x8xf16> {
  // NARROW: train.next {{.*}} : tensor<4x8xf16>, tensor<4x8xf16>
  train.func @own(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %h, %all = train.scan carry %a = %h0 over %r = %x {
      %m = train.matmul %a, %w
      %s = train.add %m, %r
      %n = train.tanh %s
      train.next %n each %n
    }
    %q = train.matmul %all, %w
    train.return %q
  }
  // Rows of a parameter are read as rows of its working copy.
  // CHECK-LABEL: train.func @export.layers
  // CHECK-SAME: %[[STACK:arg[0-9]+]]: tensor<5x8x8xbf16> {train.is = #train.state<@stack.bf16>}
  // CHECK: train.scan carry {{.*}} over {{.*}}%[[ROW:[a-z0-9]*]] = %[[STACK]] :
  // CHECK: train.matmul %{{.*}}, %[[ROW]]
  train.func @layers(%h0: f32[batch, width]) {
    %h = train.scan carry %a = %h0 over %r = %stack {
      %m = train.matmul %a, %r
      %n = train.relu %m
      train.next %n
    }
    %q = train.matmul %h, %w
    train.return %q
  }
  // A running sum stays f32, although only a product reads the sum.
  // EXPLAIN: remark: sums/add#0: train.add computes in 'f32' (recurrent): rounds pass the value on without a contraction on the way
  // CHECK-LABEL: train.func @export.sums
  // CHECK: train.scan carry {{.*}} : tensor<4x8xf32>,
  // CHECK: train.add {{.*}}#amp.decision<"recurrent"
  // CHECK: train.next {{.*}} : tensor<4x8xf32>
  train.func @sums(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %y = train.matmul %x, %w
    %h = train.scan carry %a = %h0 over %r = %y {
      %n = train.add %a, %r
      train.next %n
    }
    %q = train.matmul %h, %w
    train.return %q
  }
  train.export @own as "own"
  train.export @layers as "layers"
  train.export @sums as "sums"
  train.step @fit minimize @loss over [@wx, @wh] with #train.sgd<lr = 0.1>
  train.func @other(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %a = train.call @own(%x, %h0)
    %b = train.call @layers(%h0)
    %s = train.reduce_sum %a over [0, 1, 2]
    %t = train.reduce_sum %b over [0, 1]
    %l = train.add %s, %t
    train.return %l
  }
  train.step @fit2 minimize @other over [@w, @stack] with #train.sgd<lr = 0.1>
}
