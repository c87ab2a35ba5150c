// RUN: ampc-opt %s --kernel-fuse-packs=explain -split-input-file -verify-diagnostics | FileCheck %s
// RUN: ampc-opt %s --kernel-fuse-packs -split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#id = affine_map<(d0, d1) -> (d0, d1)>

// Two orders of one weight: a single value of the body, and the unpacked matrix is gone.
// CHECK-LABEL: kernel.program @update(
// CHECK: %[[R:.*]]:3 = kernel.map
// CHECK: %[[WIDE:.*]] = arith.addf
// CHECK-NEXT: %[[LOW:.*]] = arith.truncf %[[WIDE]]
// CHECK-NEXT: kernel.yield %[[WIDE]], %[[LOW]], %[[LOW]] : f32, bf16, bf16
// CHECK-NEXT: } : tensor<8x16xf32>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
// CHECK-NEXT: kernel.return %[[R]]#0, %[[R]]#1, %[[R]]#2
kernel.program @update(%w: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>) {
  %new:2 = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id, #id] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %0, %1 : f32, bf16
  } : tensor<8x16xf32>, tensor<8x16xbf16>
  %a = kernel.pack %new#1 : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  %b = kernel.pack %new#1 : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return %new#0, %a, %b : tensor<8x16xf32>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>, tensor<8x16xbf16, #kernel.packed<rhs, depth = 1, bytes = 1024>>
}

// -----

#flat = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// A flat update gets the rows of the matrix back; a value with another reader stays a result.
// CHECK-LABEL: kernel.program @flat(
// CHECK: %[[V:.*]] = kernel.view %{{.*}} : tensor<128xf32> to tensor<8x16xf32>
// CHECK: %[[R:.*]]:2 = kernel.map(%[[V]], %{{.*}} : tensor<8x16xf32>, tensor<f32>) space [8, 16]
// CHECK: kernel.yield %[[N:.*]], %[[N]] : f32, f32
// CHECK-NEXT: } : tensor<8x16xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
// CHECK-NEXT: %[[F:.*]] = kernel.view %[[R]]#0 : tensor<8x16xf32> to tensor<128xf32>
// CHECK-NEXT: kernel.return %[[F]], %[[R]]#1
kernel.program @flat(%w: tensor<128xf32>, %s: tensor<f32>) -> (tensor<128xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>) {
  %new = kernel.map(%w, %s : tensor<128xf32>, tensor<f32>) space [128] maps [#flat, #none] -> [#flat] {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.mulf %e, %f : f32
    kernel.yield %0 : f32
  } : tensor<128xf32>
  %v = kernel.view %new : tensor<128xf32> to tensor<8x16xf32>
  %a = kernel.pack %v : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
  kernel.return %new, %a : tensor<128xf32>, tensor<8x16xf32, #kernel.packed<rhs, depth = 1, bytes = 1024>>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Kernels that run when a model is created or loaded stay unchanged.
// CHECK-LABEL: kernel.program @derive(
// CHECK: kernel.pack
kernel.program @derive(%w: tensor<8x16xf32>) -> tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>> attributes {role = #train.role<derive>} {
  %low = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = arith.truncf %e : f32 to bf16
    kernel.yield %0 : bf16
  } : tensor<8x16xbf16>
  %a = kernel.pack %low : tensor<8x16xbf16> to tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
  kernel.return %a : tensor<8x16xbf16, #kernel.packed<rhs, depth = 0, bytes = 1024>>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// Packs that stay kernels, and the reasons.
// CHECK-LABEL: kernel.program @apart(
// CHECK-NOT: kernel.map{{.*}}packed
// CHECK: kernel.return
kernel.program @apart(%w: tensor<8x16xf32>, %x: tensor<4x8xf32>, %y: tensor<4x16xf32>, %t: tensor<16x8xf32>) -> (tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>,
    tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>,
    tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>>, tensor<4x32xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>) {
  // expected-remark @below {{packs a matrix in a separate pass: the matrix is not written here}}
  %a = kernel.pack %w : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %gemm = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<4x16xf32> acc f32
    maps [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>] space [8, 16] depth 4 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<8x16xf32>
  // expected-remark @below {{packs a matrix in a separate pass: kernel.gemm cannot write packed results}}
  %b = kernel.pack %gemm : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %rows = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = kernel.row_reduce sum %e : f32
    %1 = arith.divf %e, %0 : f32
    kernel.yield %1 : f32
  } : tensor<8x16xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the kernel that writes the matrix reduces rows}}
  %c = kernel.pack %rows : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %written = kernel.map(%t : tensor<16x8xf32>) space [16, 8] maps [#id] -> [#turned] {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<8x16xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the matrix is written in another order than the iteration domain}}
  %d = kernel.pack %written : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %read = kernel.map(%t : tensor<16x8xf32>) space [8, 16] maps [#turned] -> [#id] {
  ^bb0(%e: f32):
    kernel.yield %e : f32
  } : tensor<8x16xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the kernel that writes the matrix reads a tensor across its rows}}
  %f = kernel.pack %read : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %map = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %0 : f32
  } : tensor<8x16xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the matrix is packed for the left side of products}}
  %g = kernel.pack %map : tensor<8x16xf32> to tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>>
  %scales = kernel.map(%w : tensor<8x16xf32>) space [8, 16] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = kernel.row_index
    %1 = arith.sitofp %0 : i32 to f32
    kernel.yield %1 : f32
  } : tensor<8x16xf32>
  %v = kernel.view %scales : tensor<8x16xf32> to tensor<4x32xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the points of the kernel that writes the matrix are not rows and columns of the matrix}}
  %h = kernel.pack %v : tensor<4x32xf32> to tensor<4x32xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  kernel.return %a, %b, %c, %d, %f, %g, %h : tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>,
    tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>,
    tensor<8x16xf32, #kernel.packed<lhs, depth = 0, bytes = 1024>>, tensor<4x32xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>

// A product that needs the old copy and the new weight: only a separate kernel can wait for the product.
// CHECK-LABEL: kernel.program @late(
// CHECK: kernel.pack
kernel.program @late(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %old: tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> {train.is = #train.state<@w.packed>})
    -> (tensor<8x8xf32> {train.is = #train.state<@w>}, tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> {train.is = #train.state<@w.packed>}, tensor<8x8xf32> {train.is = #train.output<named, name = "y">}) {
  %new = kernel.map(%w : tensor<8x8xf32>) space [8, 8] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %0 : f32
  } : tensor<8x8xf32>
  // expected-remark @below {{packs a matrix in a separate pass: an op that must run before the pack depends on the matrix}}
  %a = kernel.pack %new : tensor<8x8xf32> to tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>
  %z = kernel.gemm %new, %old : tensor<8x8xf32>, tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 512>> acc f32 maps [#x, #y] space [8, 8] depth 8
    epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<8x8xf32>
  kernel.return %new, %a, %z : tensor<8x8xf32>, tensor<8x8xf32, #kernel.packed<rhs, depth = 0, bytes = 512>>, tensor<8x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The loss is looked at before state changes.
// CHECK-LABEL: kernel.program @loss(
// CHECK: kernel.pack
kernel.program @loss(%w: tensor<1x1xf32> {train.is = #train.state<@w>}) -> (tensor<1x1xf32> {train.is = #train.output<loss>}, tensor<1x1xf32, #kernel.packed<rhs, depth = 0, bytes = 64>> {train.is = #train.state<@w.packed>}) {
  %new = kernel.map(%w : tensor<1x1xf32>) space [1, 1] maps [#id] -> [#id] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    kernel.yield %0 : f32
  } : tensor<1x1xf32>
  // expected-remark @below {{packs a matrix in a separate pass: an op that must run before the pack depends on the matrix}}
  %a = kernel.pack %new : tensor<1x1xf32> to tensor<1x1xf32, #kernel.packed<rhs, depth = 0, bytes = 64>>
  kernel.return %new, %a : tensor<1x1xf32>, tensor<1x1xf32, #kernel.packed<rhs, depth = 0, bytes = 64>>
}

// -----

#flat = affine_map<(d0) -> (d0)>

// A filter in both orders, from a flat update: the points of the update's space are the points of the filter.
// CHECK-LABEL: kernel.program @filter(
// CHECK: %[[R:.*]]:3 = kernel.map({{.*}}) space [8, 3, 3, 4]
// CHECK: } : tensor<8x3x3x4xf32>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>
// CHECK: kernel.return %{{.*}}, %[[R]]#1, %[[R]]#2
kernel.program @filter(%w: tensor<288xf32>) -> (tensor<288xf32>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>) {
  %new:2 = kernel.map(%w : tensor<288xf32>) space [288] maps [#flat] -> [#flat, #flat] {
  ^bb0(%e: f32):
    %0 = arith.addf %e, %e : f32
    %1 = arith.truncf %0 : f32 to bf16
    kernel.yield %0, %1 : f32, bf16
  } : tensor<288xf32>, tensor<288xbf16>
  %v = kernel.view %new#1 : tensor<288xbf16> to tensor<8x3x3x4xbf16>
  %a = kernel.pack %v : tensor<8x3x3x4xbf16> to tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>
  %b = kernel.pack %v : tensor<8x3x3x4xbf16> to tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>
  kernel.return %new#0, %a, %b : tensor<288xf32>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 1, bytes = 2048>>, tensor<8x3x3x4xbf16, #kernel.packed<rhs, depth = 0, bytes = 3072>>
}

// -----

#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#tap = affine_map<(d0, d1, d2, d3) -> (d1, d2)>

// A number per output is along the rows of the matrix that a filter is, a number per tap is not.
// CHECK-LABEL: kernel.program @perTap(
// CHECK: kernel.map{{.*}} maps [#{{.*}}, #{{.*}}] -> [#{{.*}}] {
// CHECK: } : tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>
// CHECK: kernel.pack %
// CHECK-NOT: kernel.pack %
kernel.program @perTap(%w: tensor<8x3x3x4xf32>, %s: tensor<8xf32>, %t: tensor<3x3xf32>) -> (tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>, tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>) {
  %x = kernel.map(%w, %s : tensor<8x3x3x4xf32>, tensor<8xf32>) space [8, 3, 3, 4] maps [#id, affine_map<(d0, d1, d2, d3) -> (d0)>] -> [#id] {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.mulf %e, %f : f32
    kernel.yield %0 : f32
  } : tensor<8x3x3x4xf32>
  %a = kernel.pack %x : tensor<8x3x3x4xf32> to tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>
  %y = kernel.map(%w, %t : tensor<8x3x3x4xf32>, tensor<3x3xf32>) space [8, 3, 3, 4] maps [#id, #tap] -> [#id] {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.mulf %e, %f : f32
    kernel.yield %0 : f32
  } : tensor<8x3x3x4xf32>
  // expected-remark @below {{packs a matrix in a separate pass: the kernel that writes the matrix reads a tensor in another order than row by row}}
  %b = kernel.pack %y : tensor<8x3x3x4xf32> to tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>
  kernel.return %a, %b : tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>, tensor<8x3x3x4xf32, #kernel.packed<rhs, depth = 1, bytes = 2304>>
}
