// The backward pass runs in the types of the forward pass; weight gradients are rounded before the conversion to f32, as in torch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --amp-assign-precision="policy=autocast precision=bf16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --amp-assign-precision="policy=propagate precision=bf16" --train-strip-origins | FileCheck %s --check-prefix=PROPAGATE
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --amp-assign-precision="precision=bf16 override=^loss/tanh#0$=f32" --train-strip-origins | FileCheck %s --check-prefix=NAMED

train.model @line {
  train.param @w : tensor<16x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<32x16xf32>, %y: tensor<32x8xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<16x8xf32>
    %0 = train.matmul %x, %w : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %1 = train.tanh %0 : tensor<32x8xf32>
    %2 = train.sub %1, %y : tensor<32x8xf32>, tensor<32x8xf32>
    %3 = train.square %2 : tensor<32x8xf32>
    %4 = train.reduce_sum %3 over [0, 1] : tensor<32x8xf32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[W:[a-z0-9]+]]: tensor<16x8xf32> {train.is = #train.state<@w>}
// CHECK-SAME:  %[[COPY:[a-z0-9]+]]: tensor<16x8xbf16> {train.is = #train.state<@w.bf16>}
// CHECK:       %[[X:.*]] = train.cast %{{.*}} {{.*}}: tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK:       train.matmul %[[X]], %[[COPY]]
// CHECK:       train.tanh {{.*}} : tensor<32x8xbf16>
// CHECK:       train.sub {{.*}} : tensor<32x8xf32>, tensor<32x8xf32>
// CHECK:       train.seed
// The adjoint of tanh starts from values rounded to bf16, computes in f32, and rounds the result only.
// CHECK:       train.mul {{.*}}the backward pass runs in the type of loss/square#0
// CHECK:       %[[IN:.*]] = train.cast %{{.*}} {{.*}}: tensor<32x8xf32> to tensor<32x8xbf16>
// CHECK:       %[[WIDE:.*]] = train.cast %[[IN]] {{.*}}: tensor<32x8xbf16> to tensor<32x8xf32>
// CHECK-NEXT:  train.mul %[[WIDE]], {{.*}}the backward pass runs in the type of loss/tanh#0{{.*}} : tensor<32x8xf32>, tensor<32x8xf32>
// CHECK-NEXT:  %[[G:.*]] = train.cast %{{.*}} {{.*}}: tensor<32x8xf32> to tensor<32x8xbf16>
// CHECK-NEXT:  %[[DW:.*]] = train.matmul %[[X]], %[[G]] transpose_lhs {{.*}} -> tensor<16x8xf32>
// CHECK-NEXT:  %[[LOW:.*]] = train.cast %[[DW]] {{.*}}: tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK-NEXT:  %[[HIGH:.*]] = train.cast %[[LOW]] {{.*}}: tensor<16x8xbf16> to tensor<16x8xf32>
// CHECK-NEXT:  train.gradient @w, %[[HIGH]]
// Under the other policies no weight gradient is rounded.
// PROPAGATE:      %[[DW:.*]] = train.matmul {{.*}} transpose_lhs {{.*}} -> tensor<16x8xf32>
// PROPAGATE-NEXT: train.gradient @w, %[[DW]]
// A name fixes the type of an op and of the op's adjoint.
// NAMED: train.tanh {{.*}}amp.decision<"override"{{.*}} : tensor<32x8xf32>
// NAMED: train.seed
// NAMED: train.mul {{.*}}the override \22^loss/tanh#0$\22 fixes the type
// The update is f32; the copy for the next step is cast from the update's result.
// CHECK:       %[[NEW:[a-z_]+]]{{.*}} = train.update %[[W]] by {{.*}} : tensor<16x8xf32>, tensor<16x8xf32>,
// CHECK:       %[[NEXT:.*]] = train.cast %[[NEW]] {{.*}}: tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK-NEXT:  train.return {{.*}}%[[NEXT]]
// CHECK-LABEL: train.func @derive
// CHECK-SAME:  (%[[P:.*]]: tensor<16x8xf32> {train.is = #train.state<@w>}) -> (tensor<16x8xbf16> {train.is = #train.state<@w.bf16>})
// CHECK-NEXT:  %[[D:.*]] = train.cast %[[P]] {{.*}}: tensor<16x8xf32> to tensor<16x8xbf16>
// CHECK-NEXT:  train.return %[[D]]
