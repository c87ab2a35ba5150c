// Vectors are narrower where a slice of a tensor starts, and nowhere else: equal kernels on slices and on whole tensors are two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure --kernel-plan --kernel-emit | FileCheck %s

// Rows of 35 numbers start at no multiple of 16 bytes in both tensors; micro-batches of 24 bytes start at multiples of 8, all by the same kernel.
// CHECK:      kernel.functions = [
// CHECK-SAME: {form = "4 points a thread", {{.*}}name = "model_k0"
// CHECK-SAME: {form = "4 points a thread", {{.*}}name = "model_k1"
// CHECK-SAME: {form = "2 points a thread", {{.*}}name = "model_k2"
// CHECK-SAME: {form = "plain: a slice of a tensor starts at an odd element", {{.*}}name = "model_k3"
#id = affine_map<(d0) -> (d0)>
module attributes {kernel.target = "sm_80"} {
// CHECK-LABEL: kernel.program @whole
kernel.program @whole(%x: tensor<35xf32> {train.is = #train.input<"x">}, %y: tensor<6xf32> {train.is = #train.input<"y">}) -> (tensor<35xf32> {train.is = #train.output<named, name = "out">}, tensor<6xf32> {train.is = #train.output<named, name = "out2">}) attributes {role = #train.role<export>, export_name = "whole"} {
  // CHECK: kernel.function = 0
  %0 = kernel.map(%x : tensor<35xf32>) space [35] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<35xf32>
  // CHECK: kernel.function = 1
  %1 = kernel.map(%y : tensor<6xf32>) space [6] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<6xf32>
  kernel.return %0, %1 : tensor<35xf32>, tensor<6xf32>
}

// CHECK-LABEL: kernel.program @micro
kernel.program @micro(%y: tensor<6xf32> {train.is = #train.input<"y", batch = 0>}, %y1: tensor<6xf32> {train.is = #train.input<"y", batch = 0, part = 1>}) -> (tensor<6xf32> {train.is = #train.output<named, name = "out">}, tensor<6xf32> {train.is = #train.output<named, name = "out2">}) attributes {role = #train.role<export>, export_name = "micro"} {
  // CHECK-COUNT-2: kernel.function = 2
  %0 = kernel.map(%y : tensor<6xf32>) space [6] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<6xf32>
  %1 = kernel.map(%y1 : tensor<6xf32>) space [6] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<6xf32>
  kernel.return %0, %1 : tensor<6xf32>, tensor<6xf32>
}

// Operands and results of iterations start at any address; carried values do not.
// CHECK-LABEL: kernel.program @run
kernel.program @run(%sum: tensor<35xf32> {train.is = #train.input<"sum">}, %x: tensor<35xf32> {train.is = #train.input<"x">}) -> (tensor<35xf32> {train.is = #train.output<named, name = "next">}, tensor<35xf32> {train.is = #train.output<named, name = "square">}) attributes {role = #train.role<part>} {
  // CHECK: kernel.function = 3
  %0 = kernel.map(%x : tensor<35xf32>) space [35] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<35xf32>
  // CHECK: kernel.function = 0
  %1 = kernel.map(%sum : tensor<35xf32>) space [35] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %1 = arith.mulf %a, %a : f32
    kernel.yield %1 : f32
  } : tensor<35xf32>
  kernel.return %1, %0 : tensor<35xf32>, tensor<35xf32>
}
kernel.program @calls(%x: tensor<35xf32> {train.is = #train.input<"x">}, %xs: tensor<3x35xf32> {train.is = #train.input<"xs">}) -> (tensor<35xf32> {train.is = #train.output<named, name = "next">}, tensor<3x35xf32> {train.is = #train.output<named, name = "squares">}) attributes {role = #train.role<export>, export_name = "calls"} {
  %0, %1 = kernel.call @run(%x, %xs : tensor<35xf32>, tensor<3x35xf32>) times 3 carried 1 : tensor<35xf32>, tensor<3x35xf32>
  kernel.return %0, %1 : tensor<35xf32>, tensor<3x35xf32>
}
}
