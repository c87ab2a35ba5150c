// Every op of TensorFlow's lists that exists here, between two ops on the allow list (grappler, auto_mixed_precision_lists.h).
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=propagate precision=f16" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @lists {
  // In 16 bits, because products lie on both sides.
  // CHECK-LABEL: train.func @infer
  train.func @infer(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.erf {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %0 = train.erf %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %1 = train.log %h : tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log1p {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %2 = train.log1p %h : tensor<8x8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.log_softmax {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %3 = train.log_softmax %h : tensor<8x8xf32>
    %m3 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softmax {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %4 = train.softmax %h : tensor<8x8xf32>
    %m4 = train.matmul %4, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sigmoid {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %5 = train.sigmoid %h : tensor<8x8xf32>
    %m5 = train.matmul %5, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.tanh {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %6 = train.tanh %h : tensor<8x8xf32>
    %m6 = train.matmul %6, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softplus {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %7 = train.softplus %h : tensor<8x8xf32>
    %m7 = train.matmul %7, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sqrt {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %8 = train.sqrt %h : tensor<8x8xf32>
    %m8 = train.matmul %8, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reciprocal {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %9 = train.reciprocal %h : tensor<8x8xf32>
    %m9 = train.matmul %9, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.add {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %10 = train.add %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m10 = train.matmul %10, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sub {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %11 = train.sub %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m11 = train.matmul %11, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.mul {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %12 = train.mul %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m12 = train.matmul %12, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.div {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %13 = train.div %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m13 = train.matmul %13, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.leaky_relu {{.*}}between two allow ops{{.*}}amp.decision<"infer"
    %14 = train.leaky_relu %h slope 0.01 : tensor<8x8xf32>
    %m14 = train.matmul %14, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8, %m9, %m10, %m11, %m12, %m13, %m14 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  // Clear ops join what is beside them.
  // CHECK-LABEL: train.func @clear
  train.func @clear(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.abs {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %0 = train.abs %h : tensor<8x8xf32>
    %m0 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.floor {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %1 = train.floor %h : tensor<8x8xf32>
    %m1 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.neg {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %2 = train.neg %h : tensor<8x8xf32>
    %m2 = train.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.relu {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %3 = train.relu %h : tensor<8x8xf32>
    %m3 = train.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.stop_gradient {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %4 = train.stop_gradient %h : tensor<8x8xf32>
    %m4 = train.matmul %4, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.maximum {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %5 = train.maximum %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m5 = train.matmul %5, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.minimum {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %6 = train.minimum %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    %m6 = train.matmul %6, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.clamp {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %7 = train.clamp %h from 0.0 to 1.0 : tensor<8x8xf32>
    %m7 = train.matmul %7, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.transpose {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
    %8 = train.transpose %h [1, 0] : tensor<8x8xf32>
    %m8 = train.matmul %8, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reshape {{.*}}next to ops in 16 bits{{.*}}amp.decision<"clear"
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
  // Sums and losses are denied, and what follows them up to the next product.
  // CHECK-LABEL: train.func @sums
  train.func @sums(%x: tensor<8x8xf32>, %l: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reduce_sum {{.*}}amp.decision<"deny"
    %0 = train.reduce_sum %h over [1] : tensor<8x8xf32>
    // CHECK: train.softmax_cross_entropy {{.*}}amp.decision<"deny"
    %1 = train.softmax_cross_entropy %h, %l reduce none : tensor<8x8xf32>, tensor<8xi32>
    train.return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // A clear op behind the last product joins it.
  // CHECK-LABEL: train.func @tail
  train.func @tail(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.relu {{.*}}next to ops in 16 bits{{.*}} : tensor<8x8xf16>
    %0 = train.relu %h : tensor<8x8xf32>
    train.return %0 : tensor<8x8xf32>
  }

  // What also reads a denied value is denied, although it lies between two products or next to one.
  // CHECK-LABEL: train.func @denied
  train.func @denied(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.exp {{.*}}amp.decision<"deny"
    %e = train.exp %h : tensor<8x8xf32>
    // CHECK: train.add {{.*}}downstream of a deny op{{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %0 = train.add %h, %e : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = train.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.maximum {{.*}}downstream of a deny op{{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %2 = train.maximum %h, %e : tensor<8x8xf32>, tensor<8x8xf32>
    %3 = train.tanh %2 : tensor<8x8xf32>
    train.return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
