// Rows put into a table in the arena stay in the table's place, also behind another value in the same buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0) -> (d0)>
module attributes {train.phase = "kernels"} {
  kernel.program @add(%s: tensor<64xf32> {train.is = #train.input<"s">}, %t: tensor<32x4xf32> {train.is = #train.input<"t">}, %x: tensor<64xf32> {train.is = #train.input<"x">})
      -> (tensor<64xf32> {train.is = #train.output<named, name = "u">}, tensor<32x4xf32> {train.is = #train.output<named, name = "v">}) attributes {role = #train.role<part>} {
    %u = kernel.map(%x, %s : tensor<64xf32>, tensor<64xf32>) space [64] maps [#all, #all] -> [#all] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %v = kernel.map(%t : tensor<32x4xf32>) space [32, 4] maps [#id] -> [#id] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<32x4xf32>
    kernel.return %u, %v : tensor<64xf32>, tensor<32x4xf32>
  }
  // CHECK-LABEL: kernel.program @table
  // CHECK: %[[SUMS:.*]]:2 = kernel.call @add({{.*}}kernel.places = [#kernel.place<arena, 0, 0>, #kernel.place<arena, 0, 256>]
  // CHECK: kernel.scatter_rows {{.*}} into %[[SUMS]]#1 {kernel.places = [#kernel.place<arena, 0, 256>]}
  kernel.program @table(%xs: tensor<5x64xf32> {train.is = #train.input<"xs">}, %rows: tensor<2x4xf32> {train.is = #train.input<"rows">}, %index: tensor<2xi32> {train.is = #train.input<"index">})
      -> (tensor<64xf32> {train.is = #train.output<named, name = "y">}, tensor<32x4xf32> {train.is = #train.output<named, name = "z">})
      attributes {role = #train.role<export>, export_name = "table"} {
    %s = kernel.map() space [64] maps [] -> [#all] {
      %0 = arith.constant 0.0 : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %t = kernel.map() space [32, 4] maps [] -> [#id] {
      %0 = arith.constant 1.0 : f32
      kernel.yield %0 : f32
    } : tensor<32x4xf32>
    %sums:2 = kernel.call @add(%s, %t, %xs : tensor<64xf32>, tensor<32x4xf32>, tensor<5x64xf32>) times 5 carried 2 : tensor<64xf32>, tensor<32x4xf32>
    %put = kernel.scatter_rows %rows, %index into %sums#1 : tensor<2x4xf32>, tensor<2xi32>, tensor<32x4xf32>
    %y = kernel.map(%sums#0 : tensor<64xf32>) space [64] maps [#all] -> [#all] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %z = kernel.map(%put : tensor<32x4xf32>) space [32, 4] maps [#id] -> [#id] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<32x4xf32>
    kernel.return %y, %z : tensor<64xf32>, tensor<32x4xf32>
  }
}
