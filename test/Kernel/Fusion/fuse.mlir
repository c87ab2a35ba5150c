// RUN: ampc-opt %s --convert-train-to-kernel --train-simplify --kernel-fuse | FileCheck %s
// RUN: ampc-opt %s --convert-train-to-kernel --train-simplify --kernel-fuse=across-gradients | FileCheck %s --check-prefix=ACROSS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$HEADS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
train.model @fuse {
  // Bias, activation and residual become the epilogue; values with other readers are stored, too.
  // CHECK-LABEL: kernel.program @epilogue(
  // CHECK: kernel.gemm {{.*}} epilogue(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<8x16xf32>) maps [#[[$COLUMN]], #[[$ID]]] -> [#[[$ID]], #[[$ID]]]
  // CHECK: arith.addf
  // CHECK: %[[A:.*]] = math.tanh
  // CHECK: %[[R:.*]] = arith.addf
  // CHECK: kernel.yield %[[A]], %[[R]]
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return
  train.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>, %r: tensor<8x16xf32>)
      -> (tensor<8x16xf32>, tensor<8x16xf32>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %1 = train.add %0, %b : tensor<8x16xf32>, tensor<16xf32>
    %2 = train.tanh %1 : tensor<8x16xf32>
    %3 = train.add %2, %r : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>
  }

  // The epilogue looks through the view that a flattened batch needs.
  // CHECK-LABEL: kernel.program @flattened(
  // CHECK: kernel.gemm {{.*}} space [10, 16] depth 4 epilogue(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<10x16xf32>)
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return
  train.func @flattened(%x: tensor<2x5x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>, %r: tensor<2x5x16xf32>)
      -> tensor<2x5x16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<2x5x4xf32>, tensor<4x16xf32>) -> tensor<2x5x16xf32>
    %1 = train.add %0, %b : tensor<2x5x16xf32>, tensor<16xf32>
    %2 = train.mul %1, %r : tensor<2x5x16xf32>, tensor<2x5x16xf32>
    train.return %2 : tensor<2x5x16xf32>
  }

  // Heads are written in the layout that the next product reads.
  // CHECK-LABEL: kernel.program @heads(
  // CHECK: kernel.gemm {{.*}} -> [#[[$HEADS]]]
  // CHECK-NOT: kernel.map
  // CHECK: kernel.view %{{.*}} : tensor<2x5x3x4xf32> to tensor<10x12xf32>
  // CHECK: kernel.gemm
  train.func @heads(%p: tensor<2x3x5x5xf32>, %v: tensor<2x3x5x4xf32>, %w: tensor<12x12xf32>) -> tensor<2x5x12xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %p, %v : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %1 = train.transpose %0 [0, 2, 1, 3] : tensor<2x3x5x4xf32>
    %2 = train.reshape %1 : tensor<2x5x3x4xf32> to tensor<2x5x12xf32>
    %3 = train.matmul %2, %w : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    train.return %3 : tensor<2x5x12xf32>
  }

  // Statistics of a row and the readers of the statistics are a single row kernel; an epilogue takes no row ops.
  // CHECK-LABEL: kernel.program @rows(
  // CHECK: kernel.gemm {{.*}} epilogue()
  // CHECK: kernel.map(%{{.*}} : tensor<8x16xf32>) space [8, 16] maps [#[[$ID]]] -> [#[[$ID]]]
  // CHECK: kernel.row_reduce sum
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return
  train.func @rows(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %1 = train.reduce_sum %0 over [1] : tensor<8x16xf32>
    %2 = train.exp %1 : tensor<8xf32>
    %3 = train.reshape %2 : tensor<8xf32> to tensor<8x1xf32>
    %4 = train.div %0, %3 : tensor<8x16xf32>, tensor<8x1xf32>
    train.return %4 : tensor<8x16xf32>
  }

  // A value with a single reader is computed in the reader, in a reduction too; a rounding to 16 bits stays.
  // CHECK-LABEL: kernel.program @into_reduce(
  // CHECK-NEXT: kernel.reduce sum(%{{.*}}, %{{.*}} : tensor<8x16xf32>, tensor<8x16xf32>)
  // CHECK: %[[P:.*]] = arith.mulf
  // CHECK: %[[LOW:.*]] = arith.truncf %[[P]] : f32 to bf16
  // CHECK: %[[WIDE:.*]] = arith.extf %[[LOW]] : bf16 to f32
  // CHECK: kernel.yield %[[WIDE]]
  // CHECK-NOT: kernel.reduce
  // CHECK: kernel.return
  train.func @into_reduce(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<16xf32> attributes {role = #train.role<export>} {
    %0 = train.mul %x, %y : tensor<8x16xf32>, tensor<8x16xf32>
    %1 = train.cast %0 : tensor<8x16xf32> to tensor<8x16xbf16>
    %2 = train.cast %1 : tensor<8x16xbf16> to tensor<8x16xf32>
    %3 = train.reduce_sum %2 over [0] : tensor<8x16xf32>
    train.return %3 : tensor<16xf32>
  }

  // Two sums over the same input: a single pass.
  // CHECK-LABEL: kernel.program @siblings(
  // CHECK: %{{.*}}:2 = kernel.reduce sum(%{{.*}} : tensor<8x16xf32>)
  // CHECK-NOT: kernel.reduce
  // CHECK: kernel.return
  train.func @siblings(%x: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<16xf32>) attributes {role = #train.role<export>} {
    %0 = train.square %x : tensor<8x16xf32>
    %1 = train.reduce_sum %x over [0] : tensor<8x16xf32>
    %2 = train.reduce_sum %0 over [0] : tensor<8x16xf32>
    train.return %1, %2 : tensor<16xf32>, tensor<16xf32>
  }

  // A backward value is not stored by the forward kernel if the reader can compute the value.
  // CHECK-LABEL: kernel.program @saved(
  // CHECK: %[[A:.*]] = kernel.map(%{{.*}} : tensor<8x16xf32>)
  // CHECK: math.tanh
  // CHECK: kernel.gemm
  // CHECK: arith.mulf
  // CHECK: arith.subf
  // CHECK: arith.mulf
  train.func @saved(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> attributes {role = #train.role<export>} {
    %one = train.constant dense<1.0> : tensor<f32>
    %0 = train.tanh %x : tensor<8x16xf32>
    %1 = train.square %0 : tensor<8x16xf32>
    %2 = train.sub %one, %1 : tensor<f32>, tensor<8x16xf32>
    %3 = train.matmul %0, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %4 = train.mul %3, %2 : tensor<8x16xf32>, tensor<8x16xf32>
    train.return %4 : tensor<8x16xf32>
  }

  // Scalars are computed once, all together; equal scalars of several parameters only once.
  // A gradient is stored; each update is a single pass behind the gradient.
  // CHECK-LABEL: kernel.program @update(
  // CHECK: %[[G:.*]] = kernel.gemm {{.*}} epilogue() maps [] -> [#{{.*}}] attributes {kernel.barrier}
  // CHECK: %[[S:.*]]:2 = kernel.map(%{{.*}} : tensor<f32>) space []
  // CHECK: math.exp
  // CHECK-NOT: math.exp
  // CHECK: kernel.map({{.*}}%[[S]]#1{{.*}}) space [4, 16]
  // CHECK: kernel.map({{.*}}%[[S]]#1{{.*}}) space [4, 16]
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return
  // ACROSS-LABEL: kernel.program @update(
  // ACROSS: kernel.gemm {{.*}} epilogue(%
  train.func @update(%x: tensor<8x4xf32>, %dy: tensor<8x16xf32>, %w: tensor<4x16xf32>, %u: tensor<4x16xf32>, %v: tensor<4x16xf32>, %step: tensor<f32>)
      -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<f32>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %dy transpose_lhs : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %g = train.gradient @w, %0 : tensor<4x16xf32>
    %one = train.constant dense<1.0> : tensor<f32>
    %next = train.add %step, %one : tensor<f32>, tensor<f32>
    %e = train.exp %next : tensor<f32>
    %1 = train.mul %g, %e : tensor<4x16xf32>, tensor<f32>
    %2 = train.sub %w, %1 : tensor<4x16xf32>, tensor<4x16xf32>
    %again = train.exp %next : tensor<f32>
    %3 = train.mul %u, %again : tensor<4x16xf32>, tensor<f32>
    %4 = train.add %v, %3 : tensor<4x16xf32>, tensor<4x16xf32>
    train.return %2, %4, %next : tensor<4x16xf32>, tensor<4x16xf32>, tensor<f32>
  }

  // Operands of sums over a whole gradient are computed by the sums, each of which reads the gradient and nothing else of that size.
  // Scalar code stays outside of the sums.
  // CHECK-LABEL: kernel.program @sums(
  // CHECK: %[[G:.*]] = kernel.gemm
  // CHECK: %[[V:.*]] = kernel.view %[[G]]
  // CHECK: %[[NONE:.*]] = kernel.map(%[[V]] : tensor<64xf32>)
  // CHECK: kernel.row_reduce
  // CHECK: kernel.yield
  // CHECK: %[[NORM:.*]] = kernel.map(%[[V]], %{{.*}} : tensor<64xf32>, tensor<f32>)
  // CHECK: arith.mulf
  // CHECK: arith.extf
  // CHECK: arith.mulf
  // CHECK-NEXT: kernel.row_reduce
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.map({{.*}}%[[NORM]]
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: math.sqrt
  train.func @sums(%x: tensor<8x4xf32>, %dy: tensor<8x16xf32>, %w: tensor<4x16xf32>, %inverse: tensor<f32>)
      -> (tensor<4x16xf32>, tensor<f64>, tensor<f64>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %dy transpose_lhs : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %g = train.gradient @w, %0 : tensor<4x16xf32>
    %zero = train.constant dense<0.0> : tensor<f32>
    %1 = train.mul %g, %zero : tensor<4x16xf32>, tensor<f32>
    %wide = train.cast %1 : tensor<4x16xf32> to tensor<4x16xf64>
    %none = train.reduce_sum %wide over [0, 1] : tensor<4x16xf64>
    %2 = train.mul %g, %inverse : tensor<4x16xf32>, tensor<f32>
    %3 = train.cast %2 : tensor<4x16xf32> to tensor<4x16xf64>
    %4 = train.square %3 : tensor<4x16xf64>
    %5 = train.reduce_sum %4 over [0, 1] : tensor<4x16xf64>
    %norm = train.sqrt %5 : tensor<f64>
    %6 = train.sub %w, %2 : tensor<4x16xf32>, tensor<4x16xf32>
    train.return %6, %none, %norm : tensor<4x16xf32>, tensor<f64>, tensor<f64>
  }

  // A factor of a sum does not fuse with a kernel that waits for a sum, although both read the scale.
  // CHECK-LABEL: kernel.program @factor(
  // CHECK-SAME: %[[SCALE:[a-z0-9]*]]: tensor<f32> {
  // CHECK: %[[INVERSE:.*]] = kernel.map(%[[SCALE]] : tensor<f32>) space []
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: arith.divf
  // CHECK-NEXT: kernel.yield
  // CHECK: kernel.map(%{{.*}}, %[[INVERSE]] :
  train.func @factor(%x: tensor<8x4xf32>, %dy: tensor<8x16xf32>, %w: tensor<4x16xf32>, %scale: tensor<f32>)
      -> (tensor<4x16xf32>, tensor<f32>, tensor<f64>) attributes {role = #train.role<export>} {
    %0 = train.matmul %x, %dy transpose_lhs : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %g = train.gradient @w, %0 : tensor<4x16xf32>
    %wide = train.cast %g : tensor<4x16xf32> to tensor<4x16xf64>
    %sum = train.reduce_sum %wide over [0, 1] : tensor<4x16xf64>
    %none = train.cast %sum : tensor<f64> to tensor<f32>
    %next = train.mul %none, %scale : tensor<f32>, tensor<f32>
    %one = train.constant dense<1.0> : tensor<f32>
    %inverse = train.div %one, %scale : tensor<f32>, tensor<f32>
    %1 = train.mul %g, %inverse : tensor<4x16xf32>, tensor<f32>
    %2 = train.cast %1 : tensor<4x16xf32> to tensor<4x16xf64>
    %3 = train.square %2 : tensor<4x16xf64>
    %norm = train.reduce_sum %3 over [0, 1] : tensor<4x16xf64>
    %4 = train.sub %w, %1 : tensor<4x16xf32>, tensor<4x16xf32>
    train.return %4, %next, %norm : tensor<4x16xf32>, tensor<f32>, tensor<f64>
  }

  // Squares with other readers read the operand of the gradient, and the sum of the squares is no total of a gradient: in the same kernel it would pass for a total.
  // CHECK-LABEL: kernel.program @other_sum(
  // CHECK-NOT: kernel.yield {{.*}} : f32, f32
  // CHECK: kernel.return
  train.func @other_sum(%w: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<f32>) attributes {role = #train.role<export>} {
    %0 = train.relu %w : tensor<4x16xf32>
    %g = train.gradient @w, %0 : tensor<4x16xf32>
    %1 = train.square %w : tensor<4x16xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<4x16xf32>
    %norm = train.sqrt %2 : tensor<f32>
    train.return %g, %1, %norm : tensor<4x16xf32>, tensor<4x16xf32>, tensor<f32>
  }
}
