// RUN: ampc-opt %s --kernel-fuse-horizontally -split-input-file | FileCheck %s
// RUN: ampc-opt %s --kernel-fuse-horizontally=pointers=6 -split-input-file | FileCheck %s --check-prefix=FEW
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#id = affine_map<(d0) -> (d0)>
#row = affine_map<(d0) -> (0, d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#none = affine_map<(d0) -> ()>
#none2 = affine_map<(d0, d1) -> ()>

// Updates that read a factor which is known after all gradients; shapes differ. The average of a parameter follows the kernel.
// CHECK-LABEL: kernel.program @updates(
// CHECK-SAME: %[[P:.*]]: tensor<64x64xf32>, %[[Q:.*]]: tensor<4096xf32>, %[[G:.*]]: tensor<64x64xf32>, %[[H:.*]]: tensor<1x4096xf32>, %[[L:.*]]: tensor<f32>
// CHECK: %[[S:.*]] = kernel.map(%[[L]]
// CHECK-NOT: kernel.map
// CHECK: %[[N:.*]]:2 = kernel.multi_map shared(%[[S]] : tensor<f32>) members 2(%[[P]], %[[G]], %[[Q]], %[[H]] : tensor<64x64xf32>, tensor<64x64xf32>, tensor<4096xf32>, tensor<1x4096xf32>) attributes {train.origins = [#a, #b]}
// CHECK-NEXT: ^bb0(%[[R:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[B]], %[[R]] : f32
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]] : f32
// CHECK-NEXT: kernel.yield %[[D]] : f32
// CHECK-NEXT: } : tensor<64x64xf32>, tensor<4096xf32>
// CHECK-NEXT: %[[E:.*]] = kernel.map(%[[N]]#0
// CHECK: kernel.return %[[N]]#0, %[[N]]#1, %[[E]]
// FEW-LABEL: kernel.program @updates(
// FEW-NOT: kernel.multi_map
#a = #train.origin<"a">
#b = #train.origin<"b">
kernel.program @updates(%p: tensor<64x64xf32>, %q: tensor<4096xf32>, %g: tensor<64x64xf32>, %h: tensor<1x4096xf32>, %l: tensor<f32>)
    -> (tensor<64x64xf32>, tensor<4096xf32>, tensor<64x64xf32>) {
  %s = kernel.map(%l : tensor<f32>) space [] maps [affine_map<() -> ()>] -> [affine_map<() -> ()>] {
  ^bb0(%x: f32):
    %0 = arith.addf %x, %x : f32
    kernel.yield %0 : f32
  } : tensor<f32>
  %p1 = kernel.map(%p, %s, %g : tensor<64x64xf32>, tensor<f32>, tensor<64x64xf32>) space [64, 64] maps [#id2, #none2, #id2] -> [#id2]
      attributes {train.origins = [#a]} {
  ^bb0(%x: f32, %f: f32, %y: f32):
    %0 = arith.mulf %y, %f : f32
    %1 = arith.subf %x, %0 : f32
    kernel.yield %1 : f32
  } : tensor<64x64xf32>
  %e = kernel.map(%p1 : tensor<64x64xf32>) space [64, 64] maps [#id2] -> [#id2] {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %x : f32
    kernel.yield %0 : f32
  } : tensor<64x64xf32>
  %q1 = kernel.map(%q, %s, %h : tensor<4096xf32>, tensor<f32>, tensor<1x4096xf32>) space [4096] maps [#id, #none, #row] -> [#id]
      attributes {train.origins = [#b]} {
  ^bb0(%x: f32, %f: f32, %y: f32):
    %0 = arith.mulf %y, %f : f32
    %1 = arith.subf %x, %0 : f32
    kernel.yield %1 : f32
  } : tensor<4096xf32>
  kernel.return %p1, %q1, %e : tensor<64x64xf32>, tensor<4096xf32>, tensor<64x64xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Small tensors of three members; two members take at most 6 pointers.
// CHECK-LABEL: kernel.program @small(
// CHECK: kernel.multi_map shared() members 3(
// CHECK-NOT: kernel.map
// FEW-LABEL: kernel.program @small(
// FEW: kernel.multi_map shared() members 2(
// FEW: kernel.map
kernel.program @small(%a: tensor<8xf32>, %b: tensor<9xf32>, %c: tensor<10xf32>) -> (tensor<8xf32>, tensor<9xf32>, tensor<10xf32>) {
  %0 = kernel.map(%a : tensor<8xf32>) space [8] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<8xf32>
  %1 = kernel.map(%b : tensor<9xf32>) space [9] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<9xf32>
  %2 = kernel.map(%c : tensor<10xf32>) space [10] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<10xf32>
  kernel.return %0, %1, %2 : tensor<8xf32>, tensor<9xf32>, tensor<10xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Large tensors without such a scalar would live longer.
// CHECK-LABEL: kernel.program @large(
// CHECK-NOT: kernel.multi_map
kernel.program @large(%a: tensor<8192xf32>, %b: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %g = kernel.map(%a : tensor<8192xf32>) space [8192] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<8192xf32>
  %0 = kernel.map(%g : tensor<8192xf32>) space [8192] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<8192xf32>
  %h = kernel.map(%b : tensor<8192xf32>) space [8192] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.subf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<8192xf32>
  %1 = kernel.map(%h : tensor<8192xf32>) space [8192] maps [#id] -> [#id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    kernel.yield %y : f32
  } : tensor<8192xf32>
  kernel.return %0, %1 : tensor<8192xf32>, tensor<8192xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// Maps with dependences, different scalars, other bodies, and points by number stay apart.
// CHECK-LABEL: kernel.program @apart(
// CHECK-NOT: kernel.multi_map
kernel.program @apart(%a: tensor<8xf32>, %s: tensor<f32>, %t: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>) {
  %0 = kernel.map(%a, %s : tensor<8xf32>, tensor<f32>) space [8] maps [#id, #none] -> [#id] {
  ^bb0(%x: f32, %f: f32):
    %y = arith.addf %x, %f : f32
    kernel.yield %y : f32
  } : tensor<8xf32>
  %1 = kernel.map(%0, %s : tensor<8xf32>, tensor<f32>) space [8] maps [#id, #none] -> [#id] {
  ^bb0(%x: f32, %f: f32):
    %y = arith.addf %x, %f : f32
    kernel.yield %y : f32
  } : tensor<8xf32>
  %2 = kernel.map(%a, %t : tensor<8xf32>, tensor<f32>) space [8] maps [#id, #none] -> [#id] {
  ^bb0(%x: f32, %f: f32):
    %y = arith.addf %x, %f : f32
    kernel.yield %y : f32
  } : tensor<8xf32>
  %3 = kernel.map(%a, %s : tensor<8xf32>, tensor<f32>) space [8] maps [#id, #none] -> [#id] {
  ^bb0(%x: f32, %f: f32):
    %y = arith.subf %x, %f : f32
    kernel.yield %y : f32
  } : tensor<8xf32>
  %4 = kernel.map() space [8] maps [] -> [#id] {
    %y = kernel.linear_index
    kernel.yield %y : i32
  } : tensor<8xi32>
  %5 = kernel.map() space [8] maps [] -> [#id] {
    %y = kernel.linear_index
    kernel.yield %y : i32
  } : tensor<8xi32>
  kernel.return %0, %1, %2, %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Transposes read and write in different orders.
// CHECK-LABEL: kernel.program @turned(
// CHECK-NOT: kernel.multi_map
kernel.program @turned(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = kernel.map(%a : tensor<4x8xf32>) space [4, 8] maps [#id2] -> [#turned] {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8x4xf32>
  %1 = kernel.map(%b : tensor<4x8xf32>) space [4, 8] maps [#id2] -> [#turned] {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  } : tensor<8x4xf32>
  kernel.return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
