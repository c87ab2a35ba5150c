// A carried value needs a single place, if each iteration reads the value only at the elements that the iteration writes at that time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

module attributes {train.phase = "kernels"} {
  // CHECK-LABEL: kernel.program @add({{.*}}arena_bytes = 0 : i64
  kernel.program @add(%sum: tensor<64xf32> {train.is = #train.input<"sum">}, %x: tensor<64x4xf32> {train.is = #train.input<"x">})
      -> (tensor<64xf32> {train.is = #train.output<named, name = "next">}) attributes {role = #train.role<part>} {
    %next = kernel.map(%x, %sum : tensor<64x4xf32>, tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0, 0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %next : tensor<64xf32>
  }
  // Reads elements that other tasks have written.
  kernel.program @turn(%sum: tensor<64xf32> {train.is = #train.input<"sum">}, %x: tensor<64x4xf32> {train.is = #train.input<"x">})
      -> (tensor<64xf32> {train.is = #train.output<named, name = "next">}) attributes {role = #train.role<part>} {
    %next = kernel.map(%x, %sum : tensor<64x4xf32>, tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0, 0)>, affine_map<(d0) -> (63 - d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %next : tensor<64xf32>
  }
  // The first value, the result of the call and the workspace have the same place.
  // CHECK-LABEL: kernel.program @total({{.*}}arena_bytes = 256 : i64, {{.*}}unshared_bytes = 512 : i64
  // CHECK:         kernel.map() {{.*}}kernel.places = [#kernel.place<arena, 0, 0>]
  // CHECK:         kernel.call @add({{.*}}kernel.places = [#kernel.place<arena, 0, 0>], kernel.workspace = 0 : i64, workspace_bytes = 256 : i64
  kernel.program @total(%xs: tensor<5x64x4xf32> {train.is = #train.input<"xs">}) -> (tensor<64xf32> {train.is = #train.output<named, name = "y">})
      attributes {role = #train.role<export>, export_name = "total"} {
    %zero = kernel.map() space [64] maps [] -> [affine_map<(d0) -> (d0)>] {
      %0 = arith.constant 0.0 : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %total = kernel.call @add(%zero, %xs : tensor<64xf32>, tensor<5x64x4xf32>) times 5 carried 1 : tensor<64xf32>
    %y = kernel.map(%total : tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %y : tensor<64xf32>
  }
  // CHECK-LABEL: kernel.program @turned({{.*}}arena_bytes = 768 : i64
  kernel.program @turned(%xs: tensor<5x64x4xf32> {train.is = #train.input<"xs">}) -> (tensor<64xf32> {train.is = #train.output<named, name = "y">})
      attributes {role = #train.role<export>, export_name = "turned"} {
    %zero = kernel.map() space [64] maps [] -> [affine_map<(d0) -> (d0)>] {
      %0 = arith.constant 0.0 : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %total = kernel.call @turn(%zero, %xs : tensor<64xf32>, tensor<5x64x4xf32>) times 5 carried 1 : tensor<64xf32>
    %y = kernel.map(%total : tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %y : tensor<64xf32>
  }
  // A value with a further reader keeps the place: the call begins with another place.
  // CHECK-LABEL: kernel.program @kept({{.*}}arena_bytes = 512 : i64
  kernel.program @kept(%xs: tensor<5x64x4xf32> {train.is = #train.input<"xs">}) -> (tensor<64xf32> {train.is = #train.output<named, name = "y">})
      attributes {role = #train.role<export>, export_name = "kept"} {
    %one = kernel.map() space [64] maps [] -> [affine_map<(d0) -> (d0)>] {
      %0 = arith.constant 1.0 : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %total = kernel.call @add(%one, %xs : tensor<64xf32>, tensor<5x64x4xf32>) times 5 carried 1 : tensor<64xf32>
    %y = kernel.map(%total, %one : tensor<64xf32>, tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %y : tensor<64xf32>
  }
  // The initial value has a second reader: a carried value in a place of its own would change what the other begins with.
  // CHECK-LABEL: kernel.program @add2({{.*}}arena_bytes = 0 : i64
  kernel.program @add2(%a: tensor<64xf32> {train.is = #train.input<"a">}, %b: tensor<64xf32> {train.is = #train.input<"b">})
      -> (tensor<64xf32> {train.is = #train.output<named, name = "c">}, tensor<64xf32> {train.is = #train.output<named, name = "d">}) attributes {role = #train.role<part>} {
    %c = kernel.map(%a : tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%x: f32):
      %0 = arith.addf %x, %x : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %d = kernel.map(%b : tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%x: f32):
      %0 = arith.mulf %x, %x : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %c, %d : tensor<64xf32>, tensor<64xf32>
  }
  // The value, and two places that the runs write in place.
  // CHECK-LABEL: kernel.program @twice({{.*}}arena_bytes = 768 : i64
  kernel.program @twice(%xs: tensor<64xf32> {train.is = #train.input<"xs">}) -> (tensor<64xf32> {train.is = #train.output<named, name = "y">})
      attributes {role = #train.role<export>, export_name = "twice"} {
    %one = kernel.map(%xs : tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    %c, %d = kernel.call @add2(%one, %one : tensor<64xf32>, tensor<64xf32>) times 3 carried 2 : tensor<64xf32>, tensor<64xf32>
    %y = kernel.map(%c, %d : tensor<64xf32>, tensor<64xf32>) space [64] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>
    kernel.return %y : tensor<64xf32>
  }
}
