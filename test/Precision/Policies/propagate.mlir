// The colouring examples of auto_mixed_precision.cc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=propagate precision=f16" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=propagate precision=f16 edit=tanh=deny,softmax=clear" --train-strip-origins | FileCheck %s --check-prefix=EDIT
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=propagate precision=bf16" --train-strip-origins | FileCheck %s --check-prefix=BF16

train.model @colours {
  // deny infer clear infer clear allow infer: deny deny deny deny clear allow infer.
  // CHECK-LABEL: train.func @chain
  train.func @chain(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK:      train.exp {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    %0 = train.exp %x : tensor<8x8xf32>
    // CHECK-NEXT: train.tanh {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    %1 = train.tanh %0 : tensor<8x8xf32>
    // CHECK-NEXT: train.relu {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    %2 = train.relu %1 : tensor<8x8xf32>
    // CHECK-NEXT: %[[D:.*]] = train.tanh {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    %3 = train.tanh %2 : tensor<8x8xf32>
    // CHECK-NEXT: %[[L:.*]] = train.cast %[[D]] {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    // CHECK-NEXT: %[[C:.*]] = train.relu %[[L]] {{.*}}amp.decision<"clear"{{.*}} : tensor<8x8xf16>
    %4 = train.relu %3 : tensor<8x8xf32>
    // CHECK-NEXT: %[[A:.*]] = train.matmul %[[C]], {{.*}}amp.decision<"allow"{{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
    %5 = train.matmul %4, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: %[[R:.*]] = train.cast %[[A]] {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    // CHECK-NEXT: %[[W:.*]] = train.cast %[[R]] {{.*}}: tensor<8x8xf16> to tensor<8x8xf32>
    // CHECK-NEXT: train.tanh %[[W]] {{.*}}amp.decision<"infer", "{{.*}}not between two allow ops{{.*}} : tensor<8x8xf32>
    %6 = train.tanh %5 : tensor<8x8xf32>
    train.return %6 : tensor<8x8xf32>
  }

  // A softmax between two products reads and stores 16 bits; the softmax kernel still sums in f32.
  // CHECK-LABEL: train.func @attention
  // EDIT-LABEL:  train.func @attention
  train.func @attention(%q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %q, %k transpose_rhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softmax {{.*}}amp.decision<"infer", "{{.*}}between two allow ops with no deny op before it
    // EDIT:  train.softmax {{.*}}amp.decision<"clear", "{{.*}}next to ops in 16 bits
    %1 = train.softmax %0 : tensor<8x8xf32>
    // CHECK: train.matmul
    %2 = train.matmul %1, %v : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %2 : tensor<8x8xf32>
  }

  // Ops in no list block: sin is f32, and ops behind sin are not between allow ops. A deny op denies all ops that follow.
  // CHECK-LABEL: train.func @blocked
  train.func @blocked(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.sin {{.*}}amp.decision<"untouched"
    %1 = train.sin %0 : tensor<8x8xf32>
    // CHECK: train.tanh {{.*}}amp.decision<"infer"{{.*}} : tensor<8x8xf32>
    %2 = train.tanh %1 : tensor<8x8xf32>
    // CHECK: train.matmul
    %3 = train.matmul %2, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %3 : tensor<8x8xf32>
  }

  // With tanh on the deny list, tanh no longer is part of the path from product to product.
  // CHECK-LABEL: train.func @edited
  // EDIT-LABEL:  train.func @edited
  train.func @edited(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.tanh {{.*}}amp.decision<"infer"{{.*}} : tensor<8x8xf16>
    // EDIT:  train.tanh {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    %1 = train.tanh %0 : tensor<8x8xf32>
    %2 = train.matmul %1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    train.return %2 : tensor<8x8xf32>
  }

  // Without an op on the allow list nothing happens.
  // CHECK-LABEL: train.func @nothing
  train.func @nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NOT: f16
    // CHECK: train.return
    %0 = train.relu %x : tensor<8xf32>
    %1 = train.tanh %0 : tensor<8xf32>
    train.return %1 : tensor<8xf32>
  }

  // A sum denies in f16; the lists for bf16 have sums between allow ops. An exponential denies in both.
  // CHECK-LABEL: train.func @sums
  // BF16-LABEL:  train.func @sums
  train.func @sums(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.reduce_sum {{.*}}amp.decision<"deny"
    // BF16:  %[[S:.*]] = train.reduce_sum {{.*}}amp.decision<"infer"
    // BF16-NEXT: train.cast %[[S]] {{.*}}: tensor<8xf32> to tensor<8xbf16>
    %1 = train.reduce_sum %0 over [1] : tensor<8x8xf32>
    // CHECK: train.sub {{.*}}amp.decision<"deny"{{.*}} : tensor<8x8xf32>
    // BF16:  train.sub {{.*}}amp.decision<"infer"{{.*}} : tensor<8x8xbf16>
    %2 = train.sub %0, %1 : tensor<8x8xf32>, tensor<8xf32>
    %3 = train.matmul %2, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = train.clamp %3 from -1.0 to 1.0 : tensor<8x8xf32>
    // BF16: train.exp {{.*}}amp.decision<"deny"
    %5 = train.exp %4 : tensor<8x8xf32>
    train.return %5 : tensor<8x8xf32>
  }

  // Partial gradients of a weight that is used twice are added up in f32, without rounding.
  // CHECK-LABEL: train.func @shared
  train.func @shared(%g: tensor<8x8xf32>, %x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK: %[[A:.*]] = train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
    %0 = train.matmul %x, %g transpose_lhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: %[[B:.*]] = train.matmul {{.*}} transpose_lhs {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
    %1 = train.matmul %y, %g transpose_lhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: %[[T:.*]] = train.transpose %[[B]] {{.*}}amp.decision<"gradient"{{.*}} : tensor<8x8xf32>
    %2 = train.transpose %1 [1, 0] : tensor<8x8xf32>
    // CHECK-NEXT: %[[S:.*]] = train.add %[[A]], %[[T]]
    %3 = train.add %0, %2 {train.fan_in} : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK-NEXT: train.gradient @w, %[[S]]
    %4 = train.gradient @w, %3 : tensor<8x8xf32>
    train.return %4 : tensor<8x8xf32>
  }
}
