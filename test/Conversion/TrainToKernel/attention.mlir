// Parts of a fused projection are read in place, heads and all, and results lie as the operands do: no copy on either side.
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-simplify --train-autodiff --train-simplify --train-expand-step --train-simplify --convert-train-to-kernel --train-simplify --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-DAG: #[[$Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 4 + d3)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 4 + d3 + 12)>
// CHECK-DAG: #[[$V:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 4 + d3 + 24)>
// CHECK-DAG: #[[$HEADS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[$LSE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
train.model @m {
  train.param @w : tensor<12x36xf32> = #train.zeros
  // CHECK-LABEL: kernel.program @fit.grad(
  // CHECK:      %[[QKV:.*]] = kernel.view %{{.*}} : tensor<10x36xf32> to tensor<2x5x36xf32>
  // CHECK-NEXT: %[[O:.*]]:2 = kernel.attention(%[[QKV]], %[[QKV]], %[[QKV]] : {{.*}}) acc f32 batch [2, 3] queries 5 keys 5 width 4 scale 5.0{{.*}} causal maps [#[[$Q]], #[[$K]], #[[$V]]] -> [#[[$HEADS]], #[[$LSE]]] : tensor<2x5x3x4xf32>, tensor<2x3x2x5xf32>
  // CHECK-NOT:  kernel.map(%[[QKV]]
  // CHECK-NOT:  kernel.map(%[[O]]#0 : {{.*}} space [2, 3, 5, 4]
  // CHECK:      %[[D:.*]]:3 = kernel.attention_grad(%[[QKV]], %[[QKV]], %[[QKV]], %[[O]]#0, %[[O]]#1, %{{.*}} maps [#[[$Q]], #[[$K]], #[[$V]], #[[$HEADS]], #[[$LSE]], #[[$HEADS]]] -> [#[[$HEADS]], #[[$HEADS]], #[[$HEADS]]] : tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>
  // CHECK-DAG:  %[[DQ:.*]] = kernel.view %[[D]]#0 : tensor<2x5x3x4xf32> to tensor<2x5x12xf32>
  // CHECK-DAG:  %[[DK:.*]] = kernel.view %[[D]]#1
  // CHECK-DAG:  %[[DV:.*]] = kernel.view %[[D]]#2
  // CHECK:      kernel.assemble(%[[DQ]], %[[DK]], %[[DV]] : {{.*}} -> tensor<2x5x36xf32>
  train.func @loss(%x: tensor<2x5x12xf32>, %t: tensor<2x5x12xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<12x36xf32>
    %qkv = train.linear %x, %w : tensor<2x5x12xf32>, tensor<12x36xf32>
    %q0, %k0, %v0 = train.split %qkv into [12, 12, 12] along 2 : tensor<2x5x36xf32>
    %q1 = train.reshape %q0 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %q = train.transpose %q1 [0, 2, 1, 3] : tensor<2x5x3x4xf32>
    %k1 = train.reshape %k0 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %k = train.transpose %k1 [0, 2, 1, 3] : tensor<2x5x3x4xf32>
    %v1 = train.reshape %v0 : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %v = train.transpose %v1 [0, 2, 1, 3] : tensor<2x5x3x4xf32>
    %a = train.attention %q, %k, %v causal : tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>
    %a1 = train.transpose %a [0, 2, 1, 3] : tensor<2x3x5x4xf32>
    %a2 = train.reshape %a1 : tensor<2x5x3x4xf32> to tensor<2x5x12xf32>
    %l = train.mse %a2, %t : tensor<2x5x12xf32>, tensor<2x5x12xf32>
    train.return %l : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>

  // The only reader of the result rounds the result. Nothing reads the logsumexp; the kernel is the kernel of training all the same.
  // CHECK-LABEL: kernel.program @export.predict(
  // CHECK: kernel.attention(%{{.*}} : tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<8x8xf32>) acc f32 batch [4] queries 8 keys 8 width 16 scale 2.5{{.*}} biased maps [{{.*}}] -> [{{.*}}] : tensor<4x8x16xbf16>, tensor<4x2x8xf32>
  // CHECK-NEXT: kernel.return
  train.func @predict(%q: tensor<4x8x16xbf16>, %bias: tensor<8x8xf32>) -> tensor<4x8x16xbf16> {
    %0 = train.attention %q, %q, %q bias %bias : tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<4x8x16xbf16>, tensor<8x8xf32>
    train.return %0 : tensor<4x8x16xbf16>
  }
  train.export @predict as "predict"
}
