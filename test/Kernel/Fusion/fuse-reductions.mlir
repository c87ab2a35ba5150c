// RUN: ampc-opt %s --kernel-fuse-reductions=explain -split-input-file -verify-diagnostics | FileCheck %s
// RUN: ampc-opt %s --kernel-fuse-reductions -split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#id = affine_map<(d0, d1) -> (d0, d1)>
#flat = affine_map<(d0, d1, d2) -> (d1)>
#kept = affine_map<(d0, d1, d2) -> (d0, d2)>
#none = affine_map<(d0, d1, d2) -> ()>

// The check and the norm of a product's gradient: on stored values, after the epilogue; squares after the factor. The mode of the product stays
// with the product.
// CHECK-LABEL: kernel.program @gemm(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf16>, %[[Y:.*]]: tensor<8x6xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT: %[[R:.*]]:3 = kernel.fused_reduction(%[[X]], %[[Y]], %[[S]] : {{.*}}) of {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8x4xf16>, %[[B:.*]]: tensor<8x6xf16>):
// CHECK-NEXT: %[[G:.*]] = kernel.gemm %[[A]], %[[B]]
// CHECK-NOT: barrier
// CHECK-SAME: attributes {compute = [f8E4M3FN, f8E5M2]}
// CHECK-NOT: barrier
// CHECK: arith.truncf
// CHECK: kernel.yield %[[G]] : tensor<4x6xf16>
// CHECK-NEXT: } sum {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f16, %[[F:.*]]: f32):
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]]
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[Z:.*]] = arith.cmpf une, %[[W]], %[[C]] : f32
// CHECK-NEXT: %[[N:.*]] = arith.extui %[[Z]] : i1 to i32
// CHECK-NEXT: %[[V:.*]] = arith.extf %[[E]]
// CHECK-NEXT: %[[U:.*]] = arith.mulf %[[V]], %[[F]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.extf %[[U]] : f32 to f64
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[D]], %[[D]] : f64
// CHECK-NEXT: kernel.yield %[[N]], %[[Q]] : i32, f64
// CHECK-NEXT: } {kernel.barrier} : tensor<4x6xf16>, tensor<1x1xi32>, tensor<1x1xf64>
// CHECK-NOT: kernel.reduce
// CHECK: kernel.return %[[R]]#0, %[[R]]#1, %[[R]]#2
kernel.program @gemm(%x: tensor<8x4xf16>, %y: tensor<8x6xf16>, %s: tensor<f32>) -> (tensor<4x6xf16>, tensor<1x1xi32>, tensor<1x1xf64>) {
  %g = kernel.gemm %x, %y : tensor<8x4xf16>, tensor<8x6xf16> acc f32
    maps [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [4, 6] depth 8
    epilogue () maps [] -> [#id] attributes {kernel.barrier, compute = [f8E4M3FN, f8E5M2]} {
  ^bb0(%sum: f32):
    %0 = arith.truncf %sum : f32 to f16
    kernel.yield %0 : f16
  } : tensor<4x6xf16>
  %v = kernel.view %g : tensor<4x6xf16> to tensor<24xf16>
  %bad = kernel.reduce sum (%v : tensor<24xf16>) space [1, 24, 1] maps [#flat] -> [#kept] {
  ^bb0(%e: f16):
    %w = arith.extf %e : f16 to f32
    %c = arith.constant 0.0 : f32
    %0 = arith.cmpf une, %w, %c : f32
    %1 = arith.extui %0 : i1 to i32
    kernel.yield %1 : i32
  } : tensor<1x1xi32>
  %norm = kernel.reduce sum (%v, %s : tensor<24xf16>, tensor<f32>) space [1, 24, 1] maps [#flat, #none] -> [#kept] {
  ^bb0(%e: f16, %f: f32):
    %w = arith.extf %e : f16 to f32
    %0 = arith.mulf %w, %f : f32
    %1 = arith.extf %0 : f32 to f64
    %2 = arith.mulf %1, %1 : f64
    kernel.yield %2 : f64
  } : tensor<1x1xf64>
  kernel.return %g, %bad, %norm : tensor<4x6xf16>, tensor<1x1xi32>, tensor<1x1xf64>
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
#geometry = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A filter's gradient, added up by a row kernel.
// CHECK-LABEL: kernel.program @filter(
// CHECK: kernel.fused_reduction
// CHECK: kernel.conv_filter
// CHECK: } sum {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[E]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[W]], %[[W]] : f64
// CHECK-NEXT: kernel.yield %[[Q]]
// CHECK-NOT: kernel.map
kernel.program @filter(%x: tensor<2x6x6x3xf32>, %y: tensor<2x6x6x5xf32>) -> (tensor<5x3x3x3xf32>, tensor<1xf64>) {
  %g = kernel.conv_filter %x, %y : tensor<2x6x6x3xf32>, tensor<2x6x6x5xf32> acc f32 strides [1, 1] padding [1, 1, 1, 1]
    dilations [1, 1] input_dilations [1, 1] groups 1 space [5, 3, 3, 3] epilogue () maps [] -> [#geometry] attributes {kernel.barrier} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<5x3x3x3xf32>
  %v = kernel.view %g : tensor<5x3x3x3xf32> to tensor<1x135xf32>
  %norm = kernel.map(%v : tensor<1x135xf32>) space [1, 135] maps [#row] -> [#kept] {
  ^bb0(%e: f32):
    %w = arith.extf %e : f32 to f64
    %0 = arith.mulf %w, %w : f64
    %1 = kernel.row_reduce sum %0 : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  kernel.return %g, %norm : tensor<5x3x3x3xf32>, tensor<1xf64>
}

// -----

#columns = affine_map<(d0, d1, d2) -> (d1, d2)>
#sums = affine_map<(d0, d1, d2) -> (d2)>
#row = affine_map<(d0, d1) -> (d1)>
#kept = affine_map<(d0, d1) -> (d0)>

// Two gradients of one kernel have separate totals.
// CHECK-LABEL: kernel.program @two(
// CHECK: %[[R:.*]]:4 = kernel.fused_reduction
// CHECK: kernel.reduce
// CHECK: } sum {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[F:.*]]: f32):
// CHECK-DAG: %[[V:.*]] = arith.extf %[[E]]
// CHECK-DAG: arith.mulf %[[V]], %[[V]] : f64
// CHECK-DAG: %[[W:.*]] = arith.extf %[[F]]
// CHECK-DAG: arith.addf %[[W]], %[[W]] : f64
// CHECK: } {kernel.barrier} : tensor<7xf32>, tensor<7xf32>, tensor<1xf64>, tensor<1xf64>
// CHECK-NOT: kernel.map
kernel.program @two(%x: tensor<9x7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<1xf64>, tensor<1xf64>) {
  %g:2 = kernel.reduce sum (%x : tensor<9x7xf32>) space [1, 9, 7] maps [#columns] -> [#sums, #sums] attributes {kernel.barrier} {
  ^bb0(%e: f32):
    %0 = arith.mulf %e, %e : f32
    kernel.yield %e, %0 : f32, f32
  } : tensor<7xf32>, tensor<7xf32>
  %a = kernel.map(%g#0 : tensor<7xf32>) space [1, 7] maps [#row] -> [#kept] {
  ^bb0(%e: f32):
    %w = arith.extf %e : f32 to f64
    %0 = arith.mulf %w, %w : f64
    %1 = kernel.row_reduce sum %0 : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  %b = kernel.map(%g#1 : tensor<7xf32>) space [1, 7] maps [#row] -> [#kept] {
  ^bb0(%e: f32):
    %w = arith.extf %e : f32 to f64
    %0 = arith.addf %w, %w : f64
    %1 = kernel.row_reduce sum %0 : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  kernel.return %g#0, %g#1, %a, %b : tensor<7xf32>, tensor<7xf32>, tensor<1xf64>, tensor<1xf64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>

// A pointwise kernel, such as the last of several micro-batches, and a table of rows.
// CHECK-LABEL: kernel.program @others(
// CHECK: kernel.fused_reduction
// CHECK: kernel.map
// CHECK: } sum {
// CHECK: kernel.fused_reduction
// CHECK: kernel.scatter_add
// CHECK: } sum {
// CHECK: kernel.return
kernel.program @others(%x: tensor<1x70xf32>, %u: tensor<9x7xf32>, %i: tensor<9xi32>) -> (tensor<1x70xf32>, tensor<10x7xf32>, tensor<1xf64>, tensor<1xf64>) {
  %g = kernel.map(%x : tensor<1x70xf32>) space [1, 70] maps [#id] -> [#id] attributes {kernel.barrier} {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %0 : f32
  } : tensor<1x70xf32>
  %h = kernel.scatter_add %u, %i {kernel.barrier} : tensor<9x7xf32>, tensor<9xi32> -> tensor<10x7xf32>
  %v = kernel.view %h : tensor<10x7xf32> to tensor<1x70xf32>
  %a = kernel.map(%g : tensor<1x70xf32>) space [1, 70] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %w = arith.extf %e : f32 to f64
    %0 = arith.mulf %w, %w : f64
    %1 = kernel.row_reduce sum %0 : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  %b = kernel.map(%v : tensor<1x70xf32>) space [1, 70] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %w = arith.extf %e : f32 to f64
    %0 = arith.mulf %w, %w : f64
    %1 = kernel.row_reduce sum %0 : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  kernel.return %g, %h, %a, %b : tensor<1x70xf32>, tensor<10x7xf32>, tensor<1xf64>, tensor<1xf64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
#first = affine_map<(d0, d1) -> (0)>

// Totals that stay kernels, and the reasons.
// CHECK-LABEL: kernel.program @apart(
// CHECK-NOT: kernel.fused_reduction
// CHECK: kernel.return
kernel.program @apart(%x: tensor<1x3xf32>) -> (tensor<1x6xf32>, tensor<1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf64>, tensor<1xf32>, tensor<1xf32>) {
  %g = kernel.assemble(%x, %x : tensor<1x3xf32>, tensor<1x3xf32>) offsets [0, 0, 0, 3] strides [1, 1, 1, 1] fill 0.0 {kernel.barrier} -> tensor<1x6xf32>
  %h = kernel.map(%x : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#id] attributes {kernel.barrier} {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<1x3xf32>
  // expected-remark @below {{adds up a gradient in a separate pass: kernel.assemble cannot add up its results}}
  %a = kernel.map(%g : tensor<1x6xf32>) space [1, 6] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = kernel.row_reduce sum %0 : f32
    kernel.yield %1 : f32
  } : tensor<1xf32>
  // A maximum is no sum.
  %b = kernel.map(%h : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %0 = kernel.row_reduce max %e : f32
    kernel.yield %0 : f32
  } : tensor<1xf32>
  // expected-remark @below {{adds up a gradient in a separate pass: a factor of the elements is not known when the gradient is written}}
  %c = kernel.map(%h, %b : tensor<1x3xf32>, tensor<1xf32>) space [1, 3] maps [#id, #first] -> [#kept] {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.mulf %e, %f : f32
    %w = arith.extf %0 : f32 to f64
    %1 = kernel.row_reduce sum %w : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  // expected-remark @below {{adds up a gradient in a separate pass: the op does more than add up}}
  %d = kernel.map(%h : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %0 = kernel.row_reduce sum %e : f32
    %1 = math.sqrt %0 : f32
    kernel.yield %1 : f32
  } : tensor<1xf32>
  // A single row of a parameter under a rule with a number per row: the same bits as in a separate pass.
  // expected-remark @below {{adds up a gradient in a separate pass: bits depend on the order of the sum}}
  %s = kernel.map(%h : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %0 = arith.mulf %e, %e : f32
    %1 = kernel.row_reduce sum %0 : f32
    kernel.yield %1 : f32
  } : tensor<1xf32>
  kernel.return %g, %h, %a, %b, %c, %d, %s : tensor<1x6xf32>, tensor<1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf64>, tensor<1xf32>, tensor<1xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>

// A factor that is computed behind the gradient without depending on the gradient is moved before.
// CHECK-LABEL: kernel.program @hoist(
// CHECK-NEXT: %[[V:.*]] = kernel.view
// CHECK-NEXT: %[[F:.*]] = kernel.map(%[[V]]
// CHECK: kernel.fused_reduction({{.*}}, %[[F]] :
// CHECK-NOT: row_reduce
kernel.program @hoist(%x: tensor<1x3xf32>, %s: tensor<1xf32>) -> (tensor<1x3xf32>, tensor<1xf64>) {
  %h = kernel.map(%x : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#id] attributes {kernel.barrier} {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<1x3xf32>
  %v = kernel.view %s : tensor<1xf32> to tensor<f32>
  %late = kernel.map(%v : tensor<f32>) space [] maps [#scalar] -> [#scalar] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %0 : f32
  } : tensor<f32>
  %a = kernel.map(%h, %late : tensor<1x3xf32>, tensor<f32>) space [1, 3] maps [#id, #none] -> [#kept] {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.mulf %e, %f : f32
    %w = arith.extf %0 : f32 to f64
    %1 = kernel.row_reduce sum %w : f64
    kernel.yield %1 : f64
  } : tensor<1xf64>
  kernel.return %h, %a : tensor<1x3xf32>, tensor<1xf64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
#scalar = affine_map<() -> ()>

// A kernel that writes a gradient may write values of the forward pass, too. The loss adds up such values in the order of every other program.
// CHECK-LABEL: kernel.program @loss(
// CHECK-NOT: fused_reduction
// CHECK: kernel.row_reduce
// CHECK: kernel.return
kernel.program @loss(%x: tensor<1x3xf32>) -> (tensor<1x3xf32> {train.is = #train.output<named, name = "g">}, tensor<f32> {train.is = #train.output<loss>}) {
  %h:2 = kernel.map(%x : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#id, #id] attributes {kernel.barrier} {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %e, %0 : f32, f32
  } : tensor<1x3xf32>, tensor<1x3xf32>
  %a = kernel.map(%h#0 : tensor<1x3xf32>) space [1, 3] maps [#id] -> [#kept] {
  ^bb0(%e: f32):
    %1 = kernel.row_reduce sum %e : f32
    kernel.yield %1 : f32
  } : tensor<1xf32>
  %v = kernel.view %a : tensor<1xf32> to tensor<f32>
  %l = kernel.map(%v : tensor<f32>) space [] maps [#scalar] -> [#scalar] {
  ^bb0(%e: f32):
    %2 = arith.negf %e : f32
    kernel.yield %2 : f32
  } : tensor<f32>
  kernel.return %h#1, %l : tensor<1x3xf32>, tensor<f32>
}
