// The default policy: compute types by category, storage types by a minimum cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision="precision=bf16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision="precision=bf16 explain=true" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision="precision=f32" --train-strip-origins | FileCheck %s --check-prefix=F32

// COST: remark: bytes moved by @fit.train under the same compute types: mincut [[#CUT:]], autocast [[#]], propagate [[#]]
// COST: remark: loss/matmul#0: train.matmul computes in 'bf16' (same-kernel): all consumers are pointwise ops of the same kernel

// F32-NOT: bf16
// F32-NOT: amp.

train.model @net {
  train.param @w1 : tensor<16x64xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<64xf32> = #train.zeros
  train.param @w2 : tensor<64x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<32x16xf32>, %label: tensor<32xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<16x64xf32>
    %b1 = train.read @b1 : tensor<64xf32>
    %w2 = train.read @w2 : tensor<64x8xf32>
    %0 = train.matmul %x, %w1 : (tensor<32x16xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
    %1 = train.add %0, %b1 : tensor<32x64xf32>, tensor<64xf32>
    %2 = train.tanh %1 : tensor<32x64xf32>
    %3 = train.matmul %2, %w2 : (tensor<32x64xf32>, tensor<64x8xf32>) -> tensor<32x8xf32>
    %4 = train.softmax_cross_entropy %3, %label reduce sum : tensor<32x8xf32>, tensor<32xi32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @w2] with #train.sgd<lr = 0.1>
}
// Copies are declared beside the copied state.
// CHECK:       train.param @w1 : tensor<16x64xf32>
// CHECK-NEXT:  train.buffer @w1.bf16 : tensor<16x64xbf16> = #train.zeros as working of @w1

// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[W1:[a-z0-9]+]]: tensor<16x64xbf16> {train.is = #train.state<@w1.bf16>}
// CHECK-SAME:  %[[W2:[a-z0-9]+]]: tensor<64x8xbf16> {train.is = #train.state<@w2.bf16>}
// A single cast of the input serves the forward and the backward pass.
// CHECK:       %[[X:.*]] = train.cast %{{.*}} {{.*}}: tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK:       %[[M:.*]] = train.matmul %[[X]], %[[W1]] {{.*}}amp.decision<"same-kernel"
// No value within a kernel is rounded: the bias joins the accumulator, the activation follows.
// CHECK-NEXT:  %[[A:.*]] = train.add %[[M]], %{{.*}}amp.decision<"same-kernel"{{.*}} : tensor<32x64xf32>, tensor<64xf32>
// CHECK-NEXT:  %[[TF:.*]] = train.tanh %[[A]] {{.*}} : tensor<32x64xf32>
// CHECK-NEXT:  %[[T:.*]] = train.cast %[[TF]] {{.*}}: tensor<32x64xf32> to tensor<32x64xbf16>
// CHECK-NEXT:  %[[L:.*]] = train.matmul %[[T]], %[[W2]]
// The loss computes in f32.
// CHECK:       train.softmax_cross_entropy {{.*}} : tensor<32x8xf32>
// CHECK:       train.seed
// Parts of an adjoint are not rounded, the adjoint's result is.
// CHECK:       train.sub {{.*}}amp.decision<"partial-result"{{.*}} : tensor<32x8xf32>, tensor<32x8xf32>
// CHECK-NOT:   bf16
// CHECK:       %[[E:.*]] = train.mul {{.*}} : {{.*}}tensor<32x8xf32>
// CHECK-NEXT:  %[[EL:.*]] = train.cast %[[E]] {{.*}}: tensor<32x8xf32> to tensor<32x8xbf16>
// A weight gradient reaches the optimizer from the accumulator.
// CHECK:       %[[DW2:.*]] = train.matmul %[[T]], %[[EL]] transpose_lhs {{.*}}amp.decision<"gradient"{{.*}} -> tensor<64x8xf32>
// The bias gradient sums in f32.
// CHECK:       train.reduce_sum {{.*}} : tensor<32x64xf32>
// CHECK:       train.gradient @w2, %[[DW2]]

// The separate update writes the copies as well.
// CHECK-LABEL: train.func @fit.apply
// CHECK-SAME:  tensor<16x64xbf16> {train.is = #train.state<@w1.bf16>}
// CHECK-LABEL: train.func @derive
// CHECK-SAME:  role = #train.role<derive>
