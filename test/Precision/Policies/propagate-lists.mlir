// Every op of TensorFlow's lists that exists here, between two ops on the allow list (grappler, auto_mixed_precision_lists.h).
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=propagate precision=f16" --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @lists {
  // In 16 bits, because products lie on both sides.
  // CHECK-LABEL: train.func @infer
  train.func @infer(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.erf {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %0 = train.erf %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %1 = train.log %h : tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log1p {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %2 = train.log1p %h : tensor<8x8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log_softmax {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %3 = train.log_softmax %h : tensor<8x8xf32>
    %m3 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softmax {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %4 = train.softmax %h : tensor<8x8xf32>
    %m4 = train.matmul %4, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sigmoid {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %5 = train.sigmoid %h : tensor<8x8xf32>
    %m5 = train.matmul %5, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.tanh {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %6 = train.tanh %h : tensor<8x8xf32>
    %m6 = train.matmul %6, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softplus {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %7 = train.softplus %h : tensor<8x8xf32>
    %m7 = train.matmul %7, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sqrt {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %8 = train.sqrt %h : tensor<8x8xf32>
    %m8 = train.matmul %8, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reciprocal {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %9 = train.reciprocal %h : tensor<8x8xf32>
    %m9 = train.matmul %9, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.add {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %10 = train.add %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m10 = train.matmul %10, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sub {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %11 = train.sub %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m11 = train.matmul %11, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.mul {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %12 = train.mul %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m12 = train.matmul %12, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.div {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %13 = train.div %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m13 = train.matmul %13, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.leaky_relu {{.*}}amp.decision<"infer", "{{.*}}between two allow ops
    %14 = train.leaky_relu %h slope 0.01 : tensor<8x8xf32>
    %m14 = train.matmul %14, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9, %m10, %m11, %m12, %m13, %m14 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  // Clear ops join the neighbouring ops.
  // CHECK-LABEL: train.func @clear
  train.func @clear(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.abs {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %0 = train.abs %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.floor {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %1 = train.floor %h : tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.neg {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %2 = train.neg %h : tensor<8x8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.relu {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %3 = train.relu %h : tensor<8x8xf32>
    %m3 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.stop_gradient {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %4 = train.stop_gradient %h : tensor<8x8xf32>
    %m4 = train.matmul %4, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.maximum {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %5 = train.maximum %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m5 = train.matmul %5, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.minimum {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %6 = train.minimum %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m6 = train.matmul %6, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.clamp {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %7 = train.clamp %h from 0.0 to 1.0 : tensor<8x8xf32>
    %m7 = train.matmul %7, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.transpose {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %8 = train.transpose %h [1, 0] : tensor<8x8xf32>
    %m8 = train.matmul %8, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reshape {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %9 = train.reshape %h : tensor<8x8xf32> to tensor<8x8xf32>
    %m9 = train.matmul %9, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  // Always in f32.
  // CHECK-LABEL: train.func @deny
  train.func @deny(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.exp {{.*}}amp.decision<"deny"
    %0 = train.exp %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.pow {{.*}}amp.decision<"deny"
    %1 = train.pow %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  // In no list: in f32.
  // CHECK-LABEL: train.func @untouched
  train.func @untouched(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sin {{.*}}amp.decision<"untouched"
    %0 = train.sin %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.cos {{.*}}amp.decision<"untouched"
    %1 = train.cos %h : tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.square {{.*}}amp.decision<"untouched"
    %2 = train.square %h : tensor<8x8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.gelu {{.*}}amp.decision<"untouched"
    %3 = train.gelu %h : tensor<8x8xf32>
    %m3 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.rsqrt {{.*}}amp.decision<"untouched"
    %4 = train.rsqrt %h : tensor<8x8xf32>
    %m4 = train.matmul %4, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.silu {{.*}}amp.decision<"untouched"
    %5 = train.silu %h : tensor<8x8xf32>
    %m5 = train.matmul %5, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1, %m2, %m3, %m4, %m5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  // Sums and losses are denied, and all ops behind up to the next product.
  // CHECK-LABEL: train.func @sums
  train.func @sums(%x: tensor<8x8xf32>, %l: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reduce_sum {{.*}}amp.decision<"deny"
    %0 = train.reduce_sum %h over [1] : tensor<8x8xf32>
    // CHECK: train.softmax_cross_entropy {{.*}}amp.decision<"deny"
    %1 = train.softmax_cross_entropy %h, %l reduce none : tensor<8x8xf32>, tensor<8xi32>
    train.return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // A clear op behind the last product joins that product.
  // CHECK-LABEL: train.func @tail
  train.func @tail(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.relu {{.*}}next to ops in 16 bits{{.*}} : tensor<8x8xf16>
    %0 = train.relu %h : tensor<8x8xf32>
    train.return %0 : tensor<8x8xf32>
  }

  // An op that also reads a denied value is denied, although the op lies between two products or next to a product.
  // CHECK-LABEL: train.func @denied
  train.func @denied(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.exp {{.*}}amp.decision<"deny"
    %e = train.exp %h : tensor<8x8xf32>
    // CHECK: train.add {{.*}}amp.decision<"deny", "{{.*}}downstream of a deny op{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %0 = train.add %h, %e : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.maximum {{.*}}amp.decision<"deny", "{{.*}}downstream of a deny op{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %2 = train.maximum %h, %e : tensor<8x8xf32>, tensor<8x8xf32>
    %3 = train.tanh %2 : tensor<8x8xf32>
    train.return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
