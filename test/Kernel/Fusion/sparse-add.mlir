// The gradient of a table that lookups and a product read: rows are added to the gradient in place.
// RUN: %ampc-opt %s --kernel-sparse-add --split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: @tied
// CHECK: %[[DENSE:.*]] = kernel.gemm
// CHECK: %[[ROWS:.*]], %[[ORDER:.*]], %[[STARTS:.*]] = kernel.sort_by_key %arg2 of 1024
// CHECK: %[[SUMS:.*]] = kernel.segment_sum %arg1, %[[ORDER]], %[[STARTS]] : tensor<256x256xf32>
// CHECK: %[[OLD:.*]] = kernel.gather %[[DENSE]], %[[ROWS]]
// CHECK: %[[NEW:.*]] = kernel.map(%[[OLD]], %[[SUMS]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: arith.addf %[[X]], %[[Y]]
// CHECK: %[[RESULT:.*]] = kernel.scatter_rows %[[NEW]], %[[ROWS]] into %[[DENSE]] {kernel.barrier}
// CHECK-NOT: kernel.scatter_add
// CHECK: kernel.return %[[RESULT]]
#x = affine_map<(d0, d1, d2) -> (d2, d0)>
#g = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @tied(%x: tensor<8x1024xf32>, %u: tensor<256x256xf32>, %index: tensor<256xi32>, %h: tensor<8x256xf32>) -> tensor<1024x256xf32> {
  %dense = kernel.gemm %x, %h : tensor<8x1024xf32>, tensor<8x256xf32> acc f32 maps [#x, #g] space [1024, 256] depth 8 epilogue () maps [] -> [#id] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x256xf32>
  %lookups = kernel.scatter_add %u, %index : tensor<256x256xf32>, tensor<256xi32> -> tensor<1024x256xf32>
  %sum = kernel.map(%dense, %lookups : tensor<1024x256xf32>, tensor<1024x256xf32>) space [1024, 256] maps [#id, #id] -> [#id] attributes {kernel.barrier} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  kernel.return %sum : tensor<1024x256xf32>
}

// -----

// The lookups' part stays the first term, and the row that counts for nothing goes nowhere.
// CHECK-LABEL: @padding
// CHECK: %[[INDEX:.*]] = kernel.map(%arg2 : tensor<256xi32>)
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %c7_i32
// CHECK: arith.select %[[IS]], %c-1_i32
// CHECK: kernel.sort_by_key %[[INDEX]]
// CHECK: kernel.map(%[[OLD:.*]], %[[SUMS:.*]] : tensor<256x256xf32>
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: arith.addf %[[Y]], %[[X]]
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @padding(%x: tensor<1024x256xf32>, %u: tensor<256x256xf32>, %index: tensor<256xi32>) -> tensor<1024x256xf32> {
  %dense = kernel.map(%x : tensor<1024x256xf32>) space [1024, 256] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %c = arith.negf %a : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  %lookups = kernel.scatter_add %u, %index padding 7 : tensor<256x256xf32>, tensor<256xi32> -> tensor<1024x256xf32>
  %sum = kernel.map(%lookups, %dense : tensor<1024x256xf32>, tensor<1024x256xf32>) space [1024, 256] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  kernel.return %sum : tensor<1024x256xf32>
}

// -----

// Left alone: a table with another reader, more than a quarter as many lookups as rows, a small table, and another body.
// CHECK-LABEL: @others
// CHECK-COUNT-4: kernel.scatter_add
// CHECK-NOT: kernel.scatter_rows
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @others(%x: tensor<1024x256xf32>, %u: tensor<256x256xf32>, %index: tensor<256xi32>, %v: tensor<257x256xf32>, %more: tensor<257xi32>,
    %w: tensor<256x128xf32>, %y: tensor<1024x128xf32>)
    -> (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024x128xf32>, tensor<1024x256xf32>) {
  %dense:3 = kernel.map(%x : tensor<1024x256xf32>) space [1024, 256] maps [#id] -> [#id, #id, #id] {
  ^bb0(%a: f32):
    %c = arith.negf %a : f32
    kernel.yield %c, %c, %c : f32, f32, f32
  } : tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024x256xf32>
  %small = kernel.map(%y : tensor<1024x128xf32>) space [1024, 128] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %c = arith.negf %a : f32
    kernel.yield %c : f32
  } : tensor<1024x128xf32>
  %0 = kernel.scatter_add %u, %index : tensor<256x256xf32>, tensor<256xi32> -> tensor<1024x256xf32>
  %1 = kernel.map(%dense#0, %0 : tensor<1024x256xf32>, tensor<1024x256xf32>) space [1024, 256] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  %2 = kernel.scatter_add %v, %more : tensor<257x256xf32>, tensor<257xi32> -> tensor<1024x256xf32>
  %3 = kernel.map(%dense#1, %2 : tensor<1024x256xf32>, tensor<1024x256xf32>) space [1024, 256] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  %4 = kernel.scatter_add %w, %index : tensor<256x128xf32>, tensor<256xi32> -> tensor<1024x128xf32>
  %5 = kernel.map(%small, %4 : tensor<1024x128xf32>, tensor<1024x128xf32>) space [1024, 128] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x128xf32>
  %6 = kernel.scatter_add %u, %index : tensor<256x256xf32>, tensor<256xi32> -> tensor<1024x256xf32>
  %7 = kernel.map(%dense#2, %6 : tensor<1024x256xf32>, tensor<1024x256xf32>) space [1024, 256] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    kernel.yield %c : f32
  } : tensor<1024x256xf32>
  kernel.return %dense#0, %1, %3, %5, %7 : tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024x128xf32>, tensor<1024x256xf32>
}
