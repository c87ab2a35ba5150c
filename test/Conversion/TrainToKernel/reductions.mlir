// RUN: ampc-opt %s --convert-train-to-kernel | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-DAG: #[[$KEPT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$MIDDLE:.*]] = affine_map<(d0, d1) -> (0, d0, d1)>
train.model @reductions {
  // Trailing dimensions: along rows.
  // CHECK-LABEL: kernel.program @rows(
  // CHECK: kernel.view %{{.*}} : tensor<2x3x4xf32> to tensor<2x12xf32>
  // CHECK: kernel.map({{.*}}) space [2, 12]
  // CHECK: kernel.row_reduce sum
  // CHECK: } : tensor<2xf32>
  train.func @rows(%a: tensor<2x3x4xf32>) -> tensor<2xf32> attributes {role = #train.role<export>} {
    %0 = train.reduce_sum %a over [1, 2] : tensor<2x3x4xf32>
    train.return %0 : tensor<2xf32>
  }

  // Leading or middle dimensions: [outer, reduced, inner]; the accumulator is f32, rounded afterwards.
  // CHECK-LABEL: kernel.program @blocks(
  // CHECK: %[[V:.*]] = kernel.view %{{.*}} : tensor<2x3x4x5xbf16> to tensor<2x12x5xbf16>
  // CHECK: %[[SUM:.*]] = kernel.reduce sum(%[[V]] : tensor<2x12x5xbf16>) space [2, 12, 5] maps [{{.*}}] -> [#[[$KEPT]]]
  // CHECK: arith.extf
  // CHECK: } : tensor<2x5xf32>
  // CHECK: kernel.map(%[[SUM]] : tensor<2x5xf32>)
  // CHECK: arith.truncf
  train.func @blocks(%a: tensor<2x3x4x5xbf16>) -> tensor<2x5xbf16> attributes {role = #train.role<export>} {
    %0 = train.reduce_sum %a over [1, 2] : tensor<2x3x4x5xbf16>
    train.return %0 : tensor<2x5xbf16>
  }

  // Scattered dimensions are brought together by a copy first.
  // CHECK-LABEL: kernel.program @scattered(
  // CHECK: kernel.map(%{{.*}} : tensor<2x3x4xf32>) space [3, 2, 4]
  // CHECK: kernel.view %{{.*}} : tensor<3x2x4xf32> to tensor<3x8xf32>
  // CHECK: kernel.row_reduce sum
  train.func @scattered(%a: tensor<2x3x4xf32>) -> tensor<3xf32> attributes {role = #train.role<export>} {
    %0 = train.reduce_sum %a over [0, 2] : tensor<2x3x4xf32>
    train.return %0 : tensor<3xf32>
  }

  // Dimensions of size 1 do not count.
  // CHECK-LABEL: kernel.program @ones(
  // CHECK: kernel.map(%{{.*}} : tensor<1x3x4xf32>) space [3, 4] maps [#[[$MIDDLE]]]
  train.func @ones(%a: tensor<1x3x4xf32>) -> tensor<3xf32> attributes {role = #train.role<export>} {
    %0 = train.reduce_sum %a over [0, 2] : tensor<1x3x4xf32>
    train.return %0 : tensor<3xf32>
  }

  // A single long row is cut into chunks.
  // CHECK-LABEL: kernel.program @long(
  // CHECK: kernel.reduce sum({{.*}}) space [1, 65536, 1]
  train.func @long(%a: tensor<256x256xf32>) -> tensor<f32> attributes {role = #train.role<export>} {
    %0 = train.reduce_sum %a over [0, 1] : tensor<256x256xf32>
    train.return %0 : tensor<f32>
  }
}
