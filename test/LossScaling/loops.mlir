// The only f16 between loss and gradients is inside of a loop: the step has a loss scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify=loops=keep --phase-autodiff=loops=keep --phase-optimize --phase-precision="precision=f32" --phase-loss-scale --train-strip-origins | FileCheck %s
train.model @m(batch = 4, time = 5, width = 8) {
  train.param @w : f32[width, width] = #train.normal<std = 0.1>
  // CHECK: train.buffer @fit.scale
  // CHECK-LABEL: train.func @fit.grad
  // CHECK: train.seed
  // CHECK-NOT: xf16>
  // CHECK: train.scan carry {{.*}} reverse : tensor<4x8xf32>,
  // CHECK: train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf32>
  // CHECK: train.next
  // CHECK-NOT: xf16>
  // CHECK: amp.unscale
  train.func @loss(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %h = train.scan carry %a = %h0 over %r = %x {
      %m = amp.autocast f16 {
        %p = train.matmul %r, %w
        amp.yield %p
      }
      %n = train.add %a, %m
      %t = train.sin %n
      train.next %t
    }
    %q = train.square %h
    %l = train.reduce_sum %q over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
