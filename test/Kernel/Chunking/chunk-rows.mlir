// Scores of many rows are computed chunk by chunk, with all readers of the scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-chunk-rows=rows=4 --cse | FileCheck %s --implicit-check-not="tensor<2x8x40"
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-chunk-rows | FileCheck %s --check-prefix=SMALL
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-chunk-rows=rows=4 --kernel-fuse | FileCheck %s --check-prefix=FUSED
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-chunk-rows="rows=4 explain=true" 2>&1 | FileCheck %s --check-prefix=WHY

// No value here is large enough for a loop by default.
// SMALL-NOT: kernel.call
train.model @chunks {
  // A loss of 16 rows and the gradients. Labels are cut, the weight is not; the weight's gradient is carried, and results by rows are concatenated.
  // CHECK-LABEL: kernel.program @loss.rows(
  // CHECK-SAME:    %[[DW:.*]]: tensor<3x40xf32> {{.*}}, %[[X:.*]]: tensor<4x3xbf16> {{.*}}, %[[W:.*]]: tensor<3x40xbf16> {{.*}}, %[[LABEL:.*]]: tensor<1x4xi32>
  // CHECK-SAME:    -> (tensor<3x40xf32> {{.*}}, tensor<1x4xf32> {{.*}}, tensor<4x3xf32>
  // CHECK:         kernel.gemm %[[X]], %[[W]] {{.*}} space [4, 40] depth 3
  // CHECK:         %[[D:.*]] = kernel.gemm %[[X]], %{{.*}} space [3, 40] depth 4
  // CHECK:         kernel.map(%[[D]], %[[DW]] :
  // CHECK:         arith.addf
  // CHECK-LABEL: kernel.program @loss(
  // CHECK-SAME:    %[[TOKENS:.*]]: tensor<16x3xbf16> {{.*}}, %[[WEIGHT:.*]]: tensor<3x40xbf16> {{.*}}, %[[LABELS:.*]]: tensor<2x8xi32>
  // CHECK:         %[[ZERO:.*]] = kernel.map()
  // CHECK-DAG:     %[[ROWS:.*]] = kernel.view %[[TOKENS]] : tensor<16x3xbf16> to tensor<4x4x3xbf16>
  // CHECK-DAG:     %[[CUT:.*]] = kernel.view %[[LABELS]] : tensor<2x8xi32> to tensor<4x1x4xi32>
  // CHECK:         %[[ALL:.*]]:3 = kernel.call @loss.rows(%[[ZERO]], %[[ROWS]], %[[WEIGHT]], %[[CUT]] :
  // CHECK-SAME:      times 4 carried 1
  // CHECK-DAG:     kernel.view %[[ALL]]#1 : tensor<4x1x4xf32> to tensor<2x8xf32>
  // CHECK-DAG:     kernel.view %[[ALL]]#2 : tensor<4x4x3xf32> to tensor<16x3xf32>
  // CHECK:         kernel.return

  // A single pass over the scores of a chunk, and a single product that adds to the gradient.
  // FUSED-LABEL: kernel.program @loss.rows(
  // FUSED:         kernel.gemm
  // FUSED:         kernel.map(
  // FUSED:         kernel.gemm
  // FUSED:         kernel.gemm
  // FUSED-SAME:      epilogue(%{{.*}} : tensor<3x40xf32>)
  // FUSED-NOT:     kernel.map(
  // FUSED:         kernel.return
  train.func @loss(%x: tensor<16x3xbf16>, %w: tensor<3x40xbf16>, %label: tensor<2x8xi32>)
      -> (tensor<2x8xf32>, tensor<16x3xf32>, tensor<3x40xf32>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x3xbf16>, tensor<3x40xbf16>) -> tensor<16x40xf32>
    %1 = train.reshape %0 : tensor<16x40xf32> to tensor<2x8x40xf32>
    %2 = train.softmax_cross_entropy %1, %label reduce none : tensor<2x8x40xf32>, tensor<2x8xi32>
    %3 = train.softmax %1 : tensor<2x8x40xf32>
    %4 = train.one_hot %label : tensor<2x8xi32> to tensor<2x8x40xf32>
    %5 = train.sub %3, %4 : tensor<2x8x40xf32>, tensor<2x8x40xf32>
    %6 = train.cast %5 : tensor<2x8x40xf32> to tensor<2x8x40xbf16>
    %7 = train.reshape %6 : tensor<2x8x40xbf16> to tensor<16x40xbf16>
    %8 = train.matmul %7, %w transpose_rhs : (tensor<16x40xbf16>, tensor<3x40xbf16>) -> tensor<16x3xf32>
    %9 = train.matmul %x, %7 transpose_lhs : (tensor<16x3xbf16>, tensor<16x40xbf16>) -> tensor<3x40xf32>
    train.return %2, %8, %9 : tensor<2x8xf32>, tensor<16x3xf32>, tensor<3x40xf32>
  }

  // Values per row on which gradients of the same rows depend are computed in between; a gradient is rounded after the whole sum.
  // CHECK-LABEL: kernel.program @between.rows(
  // CHECK-SAME:    tensor<3x40xf32>
  // CHECK:         kernel.row_reduce
  // CHECK:         kernel.map({{.*}} space [4]
  // CHECK-LABEL: kernel.program @between(
  // CHECK:         %[[SUM:.*]] = kernel.call @between.rows
  // CHECK:         kernel.map(%[[SUM]] : tensor<3x40xf32>)
  // CHECK:         arith.truncf
  train.func @between(%x: tensor<16x3xf32>, %w: tensor<3x40xf32>) -> tensor<3x40xbf16> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x3xf32>, tensor<3x40xf32>) -> tensor<16x40xf32>
    %1 = train.logsumexp %0 over [1] : tensor<16x40xf32>
    %2 = train.square %1 : tensor<16xf32>
    %3 = train.reshape %2 : tensor<16xf32> to tensor<16x1xf32>
    %4 = train.mul %0, %3 : tensor<16x40xf32>, tensor<16x1xf32>
    %5 = train.matmul %x, %4 transpose_lhs : (tensor<16x3xf32>, tensor<16x40xf32>) -> tensor<3x40xf32>
    %6 = train.cast %5 : tensor<3x40xf32> to tensor<3x40xbf16>
    train.return %6 : tensor<3x40xbf16>
  }

  // Values of classes alone that are as large as the scores are computed by the chunk for the rows of the chunk; a number of all rows is computed before.
  // CHECK-LABEL: kernel.program @weights.rows(
  // CHECK:         arith.cmpi
  // CHECK:         kernel.return
  // CHECK-LABEL: kernel.program @weights(
  // CHECK:         arith.cmpi
  // CHECK:         %[[ALL:.*]] = kernel.view %{{.*}} : tensor<1xf32> to tensor<f32>
  // CHECK:         kernel.call @weights.rows({{.*}}%[[ALL]]
  // CHECK-NOT:     kernel.gemm
  train.func @weights(%x: tensor<16x3xf32>, %w: tensor<3x40xf32>, %label: tensor<16xi32>, %factor: tensor<40xf32>) -> tensor<3x40xf32>
      attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x3xf32>, tensor<3x40xf32>) -> tensor<16x40xf32>
    %1 = train.one_hot %label : tensor<16xi32> to tensor<16x40xf32>
    %2 = train.mul %1, %factor : tensor<16x40xf32>, tensor<40xf32>
    %3 = train.reduce_sum %2 over [0, 1] : tensor<16x40xf32>
    %4 = train.softmax %0 : tensor<16x40xf32>
    %5 = train.sub %4, %2 : tensor<16x40xf32>, tensor<16x40xf32>
    %6 = train.div %5, %3 : tensor<16x40xf32>, tensor<f32>
    %7 = train.matmul %x, %6 transpose_lhs : (tensor<16x3xf32>, tensor<16x40xf32>) -> tensor<3x40xf32>
    train.return %7 : tensor<3x40xf32>
  }

  // Scores that the caller gets exist as a whole, and so do scores that wait for a number of all rows.
  // CHECK-LABEL: kernel.program @returned(
  // CHECK-NOT:     kernel.call
  // WHY: remark: computes 16 rows at once: the program returns a tensor of as many elements
  train.func @returned(%x: tensor<16x3xf32>, %w: tensor<3x40xf32>) -> (tensor<16x40xf32>, tensor<16xf32>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x3xf32>, tensor<3x40xf32>) -> tensor<16x40xf32>
    %1 = train.reduce_sum %0 over [1] : tensor<16x40xf32>
    train.return %0, %1 : tensor<16x40xf32>, tensor<16xf32>
  }
  // CHECK-LABEL: kernel.program @waits(
  // CHECK-NOT:     kernel.call
  // WHY: remark: computes 16 rows at once: kernel.map does not work row by row
  train.func @waits(%x: tensor<16x3xf32>, %w: tensor<3x40xf32>) -> tensor<16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x3xf32>, tensor<3x40xf32>) -> tensor<16x40xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<16x40xf32>
    %2 = train.sub %0, %1 : tensor<16x40xf32>, tensor<f32>
    %3 = train.reduce_sum %2 over [1] : tensor<16x40xf32>
    train.return %3 : tensor<16xf32>
  }
  // A side of a product is read as a whole, if only the other side is cut.
  // CHECK-LABEL: kernel.program @both(
  // CHECK:         kernel.call @both.rows(%{{.*}}, %{{.*}} : tensor<4x4x3xf32>, tensor<16x3xf32>) times 4
  train.func @both(%x: tensor<16x3xf32>) -> tensor<16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %x transpose_rhs : (tensor<16x3xf32>, tensor<16x3xf32>) -> tensor<16x16xf32>
    %1 = train.logsumexp %0 over [1] : tensor<16x16xf32>
    train.return %1 : tensor<16xf32>
  }
  // Operands and results of a hidden layer are not small beside the layer: no chunks, and no remark.
  // WHY-NOT: rows at once
  // CHECK-LABEL: kernel.program @hidden(
  // CHECK-NOT:     kernel.call
  train.func @hidden(%x: tensor<16x12xf32>, %w: tensor<12x40xf32>, %v: tensor<40x12xf32>) -> tensor<16x12xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<16x12xf32>, tensor<12x40xf32>) -> tensor<16x40xf32>
    %1 = train.relu %0 : tensor<16x40xf32>
    %2 = train.matmul %1, %v : (tensor<16x40xf32>, tensor<40x12xf32>) -> tensor<16x12xf32>
    train.return %2 : tensor<16x12xf32>
  }
}
