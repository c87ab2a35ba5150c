// Gradients between ops are stored once, in 16 bits, also where an adjoint begins by flattening rows. Masked targets and values inside a norm or an adjoint stay f32.
// RUN: ampc compile %s --precision=bf16 --compile-to=precision | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK-LABEL: train.func @fit.train
// The inside of a batch norm.
// CHECK: %[[CENTERED:.*]] = train.sub {{.*}}"partial-result"{{.*}} : tensor<16xf32>, tensor<32x16xf32>
// CHECK-NEXT: train.square %[[CENTERED]] {{.*}}"partial-result"{{.*}} : tensor<32x16xf32>
// The targets, masked by the model; no reader needs 16 bits.
// CHECK: %[[TARGET:.*]] = train.select {{.*}}amp.decision<"between-f32"{{.*}}tensor<4x8x8xf32>, tensor<4x8x8xf32>
// CHECK: train.mse {{.*}}, %[[TARGET]] reduce  none
// The gradient of the loss: a single copy for the bias and both products.
// CHECK: %[[DP:.*]] = train.mul {{.*}}amp.decision<"cut"{{.*}} : tensor<4x8x8xf32>, tensor<4x8x8xf32>
// CHECK-NEXT: %[[DPB:.*]] = train.cast %[[DP]] {{.*}}: tensor<4x8x8xf32> to tensor<4x8x8xbf16>
// CHECK-NOT: %[[DP]]{{[^0-9]}}
// CHECK: %[[DPR:.*]] = train.reshape %[[DPB]] {{.*}}amp.decision<"cut"{{.*}} : tensor<4x8x8xbf16> to tensor<32x8xbf16>
// CHECK-NEXT: %[[DPF:.*]] = train.cast %[[DPR]]
// CHECK-NEXT: train.reduce_sum %[[DPF]] over [0]
// CHECK-NEXT: %[[DN:.*]] = train.matmul %[[DPR]], {{.*}} -> tensor<32x16xf32>
// CHECK-NEXT: train.cast %[[DN]] {{.*}}: tensor<32x16xf32> to tensor<32x16xbf16>
// The gradient behind the activation.
// CHECK: train.sigmoid {{.*}}"partial-result"{{.*}} : tensor<4x8x16xf32>
// CHECK: %[[DH:.*]] = train.mul {{.*}}amp.decision<"cut"{{.*}} : tensor<4x8x16xf32>, tensor<4x8x16xf32>
// CHECK-NEXT: %[[DHB:.*]] = train.cast %[[DH]] {{.*}}: tensor<4x8x16xf32> to tensor<4x8x16xbf16>
// CHECK-NOT: %[[DH]]{{[^0-9]}}
// CHECK: train.reshape %[[DHB]] {{.*}}amp.decision<"cut"
train.model @gradients {
  train.param @w : tensor<8x16xf32> = #train.kaiming_uniform
  train.param @b : tensor<16xf32> = #train.zeros
  train.param @v : tensor<16x8xf32> = #train.kaiming_uniform
  train.param @c : tensor<8xf32> = #train.zeros
  train.param @gain : tensor<16xf32> = #train.ones
  train.param @shift : tensor<16xf32> = #train.zeros
  train.buffer @mean : tensor<16xf32> = #train.zeros
  train.buffer @variance : tensor<16xf32> = #train.ones
  train.func @loss(%x: tensor<4x8x8xf32>, %y: tensor<4x8x8xf32>, %use: tensor<4x8x8xi1>) -> tensor<f32> {
    %w = train.read @w : tensor<8x16xf32>
    %b = train.read @b : tensor<16xf32>
    %v = train.read @v : tensor<16x8xf32>
    %c = train.read @c : tensor<8xf32>
    %gain = train.read @gain : tensor<16xf32>
    %shift = train.read @shift : tensor<16xf32>
    %h = train.linear %x, %w, %b : tensor<4x8x8xf32>, tensor<8x16xf32>, tensor<16xf32>
    %a = train.gelu_tanh %h : tensor<4x8x16xf32>
    %n = train.batch_norm %a, %gain, %shift running @mean, @variance momentum 0.1 eps 1.0e-3 : tensor<4x8x16xf32>, tensor<16xf32>, tensor<16xf32>
    %p = train.linear %n, %v, %c : tensor<4x8x16xf32>, tensor<16x8xf32>, tensor<8xf32>
    %none = train.constant dense<0.0> : tensor<4x8x8xf32>
    %t = train.select %use, %y, %none : tensor<4x8x8xi1>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
    %l = train.mse %p, %t : tensor<4x8x8xf32>, tensor<4x8x8xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b, @v, @c, @gain, @shift] with #train.sgd<lr = 0.1>
}
