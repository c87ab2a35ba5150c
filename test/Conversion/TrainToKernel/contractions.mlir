// RUN: ampc-opt %s --convert-train-to-kernel | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-DAG: #[[$MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$HEADS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[$KEYS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
train.model @contractions {
  // CHECK-LABEL: kernel.program @plain(
  // CHECK: kernel.gemm %{{.*}}, %{{.*}} : tensor<8x4xbf16>, tensor<4x16xbf16> acc f32 maps [#[[$MK]], #[[$KN]]] space [8, 16] depth 4
  // CHECK: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT: kernel.yield %[[SUM]] : f32
  train.func @plain(%a: tensor<8x4xbf16>, %b: tensor<4x16xbf16>) -> tensor<8x16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %a, %b : (tensor<8x4xbf16>, tensor<4x16xbf16>) -> tensor<8x16xf32>
    train.return %0 : tensor<8x16xf32>
  }

  // A transposed side, by flag or by op, is a map.
  // CHECK-LABEL: kernel.program @transposed(
  // CHECK: kernel.gemm %{{.*}} maps [#[[$KM]], #[[$NK]]] space [8, 16] depth 4
  train.func @transposed(%a: tensor<4x8xf32>, %b: tensor<16x4xf32>) -> tensor<8x16xf32> attributes {role = #train.role<export>} {
    %t = train.transpose %b [1, 0] : tensor<16x4xf32>
    %0 = train.matmul %a, %t transpose_lhs : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    train.return %0 : tensor<8x16xf32>
  }

  // Heads are read in place, without a copy.
  // CHECK-LABEL: kernel.program @heads(
  // CHECK: kernel.view %{{.*}} : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
  // CHECK-NOT: kernel.map
  // CHECK: kernel.gemm %{{.*}} maps [#[[$HEADS]], #[[$KEYS]]] space [2, 3, 5, 5] depth 4
  train.func @heads(%q: tensor<2x5x12xf32>, %k: tensor<2x5x12xf32>) -> tensor<2x3x5x5xf32> attributes {role = #train.role<export>} {
    %0 = train.reshape %q : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %1 = train.transpose %0 [0, 2, 1, 3] : tensor<2x5x3x4xf32>
    %2 = train.reshape %k : tensor<2x5x12xf32> to tensor<2x5x3x4xf32>
    %3 = train.transpose %2 [0, 2, 1, 3] : tensor<2x5x3x4xf32>
    %4 = train.matmul %1, %3 transpose_rhs : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x5xf32>
    train.return %4 : tensor<2x3x5x5xf32>
  }

  // A batch that the weights do not have is more rows.
  // CHECK-LABEL: kernel.program @rows(
  // CHECK: kernel.view %{{.*}} : tensor<2x5x4xf32> to tensor<10x4xf32>
  // CHECK: kernel.gemm {{.*}} space [10, 16] depth 4
  // CHECK: kernel.view %{{.*}} : tensor<10x16xf32> to tensor<2x5x16xf32>
  train.func @rows(%a: tensor<2x5x4xf32>, %b: tensor<4x16xf32>) -> tensor<2x5x16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %a, %b : (tensor<2x5x4xf32>, tensor<4x16xf32>) -> tensor<2x5x16xf32>
    train.return %0 : tensor<2x5x16xf32>
  }
}
