// With a checkpoint, a loop whose products of rows are merged in front does not keep the products: the adjoint's rounds multiply the rows again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --amp-recompute --train-strip-origins --mlir-print-local-scope | FileCheck %s
// RUN: sed 's/over %%r = %%x checkpoint {/over %%r = %%x {/' %s | %ampc-opt --phase-import --phase-simplify --phase-autodiff --phase-optimize --phase-precision="precision=bf16" --amp-recompute --train-strip-origins --mlir-print-local-scope | FileCheck %s --check-prefix=KEPT
train.model @m(batch = 4, time = 5, width = 8) {
  train.param @u : f32[width, 2 * width] = #train.normal<std = 0.1>
  train.param @w : f32[width, width] = #train.normal<std = 0.1>
  // CHECK-LABEL: train.func @fit.grad
  // CHECK: %[[ALL:.*]] = train.matmul %[[X:[a-z0-9]+]], %[[U:[a-z0-9]+]] {{.*}} : (tensor<20x8xbf16>, tensor<8x16xbf16>) -> tensor<20x16xf32>
  // CHECK: %[[WIDE:.*]] = train.reshape %[[ALL]]
  // CHECK: %[[ROWS:.*]] = train.cast %[[WIDE]]
  // CHECK: train.scan {{.*}} over %{{.*}} = %[[ROWS]] checkpoint
  // CHECK: train.next %{{.*}} each %{{[a-z0-9]+}} : tensor<4x8xbf16>, tensor<4x8xbf16>{{$}}
  // CHECK: %[[STACK:.*]] = train.reshape %[[X]] {{.*}}: tensor<20x8xbf16> to tensor<5x4x8xbf16>
  // CHECK: train.scan carry {{.*}} over {{.*}}, %[[ROW:[a-z0-9]+]] = %[[STACK]] times 5 reverse
  // CHECK-NEXT: %[[AGAIN:.*]] = train.matmul %[[ROW]], %[[U]] {{{.*}}amp.recompute{{.*}}} : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xf32>
  // CHECK-NEXT: train.cast %[[AGAIN]] {{{.*}}amp.recompute
  // CHECK-NOT: train.matmul %[[ROW]]
  // CHECK: train.return

  // KEPT-LABEL: train.func @fit.grad
  // KEPT-NOT: train.matmul {{.*}}amp.recompute
  // KEPT: train.return
  train.func @loss(%x: f32[time, batch, width], %h0: f32[batch, width]) {
    %h = train.scan carry %a = %h0 over %r = %x checkpoint {
      %p = train.matmul %r, %u
      %m, %g = train.split %p into [width, width] along 1
      %d = train.matmul %a, %w
      %s = train.add %m, %d
      %t = train.tanh %s
      %q = train.sigmoid %g
      %n = train.mul %t, %q
      train.next %n
    }
    %y = train.square %h
    %l = train.reduce_sum %y over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
