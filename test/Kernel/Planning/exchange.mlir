// Exchanges start after their last writer and are awaited when no other kernel is ready. The wait leaves the result where the start put
// it, and nothing takes the memory of an exchange between the two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

#all = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (0, d0)>
#second = affine_map<(d0) -> (1, d0)>

// CHECK-LABEL: kernel.program @sums
// CHECK: kernel.map({{.*}}kernel.places = [#kernel.place<output, 2, 0>]
// CHECK: [[A:%[0-9]+]] = kernel.map({{.*}}kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: [[P:%[0-9]+]] = kernel.start scatter [[A]] {kernel.places = [#kernel.place<arena, 0, 256>]}
// CHECK: [[B:%[0-9]+]] = kernel.map({{.*}}kernel.places = [#kernel.place<arena, 0, 512>]
// CHECK: [[Q:%[0-9]+]] = kernel.start scatter [[B]] {kernel.places = [#kernel.place<arena, 0, 768>]}
// CHECK: [[R:%[0-9]+]] = kernel.wait [[P]] sent [[A]] {kernel.places = [#kernel.place<arena, 0, 256>]}
// CHECK: kernel.map([[R]],
// CHECK: [[S:%[0-9]+]] = kernel.wait [[Q]] sent [[B]] {kernel.places = [#kernel.place<arena, 0, 768>]}
// CHECK: kernel.map([[S]],
kernel.program @sums(%x: tensor<64xf32> {train.is = #train.input<"x">})
    -> (tensor<32xf32> {train.is = #train.output<named, name = "a">}, tensor<32xf32> {train.is = #train.output<named, name = "b">},
        tensor<64xf32> {train.is = #train.output<named, name = "c">}) {
  %a = kernel.map(%x : tensor<64xf32>) space [64] maps [#all] -> [#all] {
  ^bb0(%0: f32):
    %1 = arith.addf %0, %0 : f32
    kernel.yield %1 : f32
  } : tensor<64xf32>
  %p = kernel.start scatter %a : tensor<64xf32> to tensor<2x32xf32>
  %r = kernel.wait %p sent %a : tensor<2x32xf32>, tensor<64xf32>
  %u = kernel.map(%r, %r : tensor<2x32xf32>, tensor<2x32xf32>) space [32] maps [#first, #second] -> [#all] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    kernel.yield %2 : f32
  } : tensor<32xf32>
  %b = kernel.map(%x : tensor<64xf32>) space [64] maps [#all] -> [#all] {
  ^bb0(%0: f32):
    %1 = arith.mulf %0, %0 : f32
    kernel.yield %1 : f32
  } : tensor<64xf32>
  %q = kernel.start scatter %b : tensor<64xf32> to tensor<2x32xf32>
  %s = kernel.wait %q sent %b : tensor<2x32xf32>, tensor<64xf32>
  %v = kernel.map(%s, %s : tensor<2x32xf32>, tensor<2x32xf32>) space [32] maps [#first, #second] -> [#all] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    kernel.yield %2 : f32
  } : tensor<32xf32>
  %c = kernel.map(%x : tensor<64xf32>) space [64] maps [#all] -> [#all] {
  ^bb0(%0: f32):
    %1 = arith.subf %0, %0 : f32
    kernel.yield %1 : f32
  } : tensor<64xf32>
  kernel.return %u, %v, %c : tensor<32xf32>, tensor<32xf32>, tensor<64xf32>
}
