// RUN: ampc-opt %s --convert-train-to-kernel | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1) -> (d0)>
train.model @shapes {
  // Transposes and broadcasts are maps of the reader.
  // CHECK-LABEL: kernel.program @fold(
  // CHECK-SAME: %[[A:.*]]: tensor<4x8xf32> {{.*}}, %[[B:.*]]: tensor<8xf32>
  // CHECK-NEXT: kernel.map(%[[A]], %[[B]] : tensor<4x8xf32>, tensor<8xf32>) space [8, 4] maps [#[[$SWAP]], #[[$ROWS]]]
  train.func @fold(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<8x4xf32> attributes {role = #train.role<export>} {
    %0 = train.transpose %a [1, 0] : tensor<4x8xf32>
    %1 = train.reshape %b : tensor<8xf32> to tensor<8x1xf32>
    %2 = train.broadcast_to %1 : tensor<8x1xf32> to tensor<8x4xf32>
    %3 = train.add %0, %2 : tensor<8x4xf32>, tensor<8x4xf32>
    train.return %3 : tensor<8x4xf32>
  }

  // CHECK-LABEL: kernel.program @view(
  // CHECK-NEXT: %[[V:.*]] = kernel.view %{{.*}} : tensor<4x8xf32> to tensor<2x16xf32>
  // CHECK-NEXT: kernel.return %[[V]]
  train.func @view(%a: tensor<4x8xf32>) -> tensor<2x16xf32> attributes {role = #train.role<export>} {
    %0 = train.reshape %a : tensor<4x8xf32> to tensor<2x16xf32>
    train.return %0 : tensor<2x16xf32>
  }

  // A reshape of permuted data copies the data.
  // CHECK-LABEL: kernel.program @move(
  // CHECK-NEXT: %[[T:.*]] = kernel.map(%{{.*}} : tensor<4x8xf32>) space [8, 4] maps [#[[$SWAP]]]
  // CHECK: kernel.view %[[T]] : tensor<8x4xf32> to tensor<2x16xf32>
  train.func @move(%a: tensor<4x8xf32>) -> tensor<2x16xf32> attributes {role = #train.role<export>} {
    %0 = train.transpose %a [1, 0] : tensor<4x8xf32>
    %1 = train.reshape %0 : tensor<8x4xf32> to tensor<2x16xf32>
    train.return %1 : tensor<2x16xf32>
  }

  // Splats are literals unless an op needs a tensor; other constants are data in the object.
  // CHECK-LABEL: kernel.program @constants(
  // CHECK: %[[C:.*]] = kernel.constant dense<[1.000000e+00, 2.000000e+00]>
  // CHECK: kernel.map(%[[C]] : tensor<2xf32>)
  // CHECK: arith.constant 3.000000e+00 : f32
  // CHECK: %[[FILL:.*]] = kernel.map() space [2] maps []
  // CHECK: kernel.return %{{.*}}, %[[FILL]]
  train.func @constants() -> (tensor<2xf32>, tensor<2xf32>) attributes {role = #train.role<export>} {
    %0 = train.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = train.constant dense<3.0> : tensor<2xf32>
    %2 = train.add %0, %1 : tensor<2xf32>, tensor<2xf32>
    train.return %2, %1 : tensor<2xf32>, tensor<2xf32>
  }

  // CHECK-LABEL: kernel.program @marks(
  // CHECK: kernel.map(%{{.*}} : tensor<2xf32>)
  // CHECK-SAME: attributes {kernel.barrier}
  // CHECK: arith.constant 1.000000e+00 : f32
  // CHECK: kernel.map
  // CHECK-NOT: kernel.barrier
  train.func @marks(%w: tensor<2xf32>) -> tensor<2xf32> attributes {role = #train.role<export>} {
    %0 = train.seed 1.0 : tensor<f32>
    %1 = train.mul %w, %0 : tensor<2xf32>, tensor<f32>
    %2 = train.gradient @w, %1 : tensor<2xf32>
    %3 = train.sub %w, %2 : tensor<2xf32>, tensor<2xf32>
    train.return %3 : tensor<2xf32>
  }
}
