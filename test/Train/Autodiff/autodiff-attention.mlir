// The backward pass of attention is a single op on values that the forward pass keeps: no scores. The derivative of that op is products
// and a softmax.
// RUN: %ampc-opt %s --train-name-ops --train-autodiff="of=f" --train-simplify --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --train-autodiff="of=f" --train-simplify --train-autodiff="of=f.grad result=1" --train-simplify --train-strip-origins | FileCheck %s --check-prefix=TWICE
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @m {
  // CHECK-LABEL: train.func @f.grad(
  // CHECK:      %[[O:.*]], %[[LSE:.*]] = train.attention %[[Q:.*]], %[[K:.*]], %[[V:.*]] bias %[[MASK:.*]] causal : tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xf32>, tensor<7xf32> -> tensor<2x5x4xf32>, tensor<2x2x5xf32>
  // CHECK-NOT:  5x7
  // CHECK:      %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = train.attention_grad %[[Q]], %[[K]], %[[V]] bias %[[MASK]] from %[[O]], %[[LSE]], %{{.*}} causal
  // CHECK-NOT:  5x7
  // CHECK:      train.return %{{.*}}, %[[DQ]], %[[DK]], %[[DV]]

  // TWICE-LABEL: train.func @f.grad.grad(
  // TWICE-NOT:   train.attention_grad
  // TWICE:       %[[S:.*]] = train.softmax %{{.*}} : tensor<2x5x7xf32>
  // TWICE:       %[[P:.*]] = train.select %{{.*}}, %{{.*}}, %[[S]]
  // TWICE-NOT:   train.attention_grad
  // TWICE:       train.mul %[[P]], %{{.*}} : tensor<2x5x7xf32>, tensor<2x5x7xf32>
  // TWICE:       train.return
  train.func @f(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<f32> {
    %mask = train.constant dense<[0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0]> : tensor<7xf32>
    %0 = train.attention %q, %k, %v bias %mask causal : tensor<2x5x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xf32>, tensor<7xf32>
    %1 = train.reduce_sum %0 over [0, 1, 2] : tensor<2x5x4xf32>
    train.return %1 : tensor<f32>
  }
}
