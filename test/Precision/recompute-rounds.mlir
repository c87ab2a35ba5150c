// Values that a loop keeps of every round for its adjoint are computed again in the adjoint's rounds, if the ops are cheap and read
// what is kept anyway; with `checkpoint` all values are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --amp-recompute --train-strip-origins --mlir-print-local-scope | FileCheck %s
// RUN: sed 's/over %%r = %%x {/over %%r = %%x checkpoint {/' %s | %ampc-opt --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --amp-recompute=repeat=false --train-strip-origins --mlir-print-local-scope | FileCheck %s --check-prefix=ALL
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --amp-recompute=repeat=false --train-strip-origins | FileCheck %s --check-prefix=NONE
train.model @m(batch = 4, time = 5, width = 8) {
  train.param @w : f32[width, width] = #train.normal<std = 0.1>
  train.param @v : f32[width] = #train.ones
  // The product of the bf16 row s with x is no f32 stack: s is kept, x is an input.
  // CHECK-LABEL: train.func @fit.grad
  // CHECK: train.next {{.*}} each {{.*}} : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>{{$}}
  // CHECK: train.scan carry {{.*}} reverse
  // CHECK: train.cast {{.*}}amp.recompute{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
  // CHECK: train.mul {{.*}}amp.recompute
  // CHECK: train.next

  // NONE-LABEL: train.func @fit.grad
  // NONE: train.next {{.*}} each {{.*}} : {{.*}}tensor<4x8xf32>
  // NONE-NOT: amp.recompute
  // NONE: train.return

  // With a checkpoint the state is the only stack, and the adjoint's round begins with the products of the round.
  // ALL-LABEL: train.func @fit.grad
  // ALL: train.next %{{.*}} each %{{[a-z0-9]+}} : tensor<4x8xbf16>, tensor<4x8xbf16>{{$}}
  // ALL: train.scan carry {{.*}} reverse
  // ALL: train.matmul {{.*}}amp.recompute
  // ALL: train.tanh {{.*}}amp.recompute
  // ALL: train.next
  train.func @loss(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %h = train.scan carry %a = %h0 over %r = %x {
      %m = train.matmul %a, %w
      %s = train.tanh %m
      %p = train.mul %s, %r
      %q = train.mul %p, %v
      %n = train.matmul %q, %w
      %t = train.tanh %n
      train.next %t
    }
    %y = train.square %h
    %l = train.reduce_sum %y over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
