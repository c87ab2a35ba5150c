// Members of kernel.multi_map write new state over the old state; a result whose old state another member reads is copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-plan | FileCheck %s

module attributes {train.phase = "kernels"} {
  train.model @m {
    train.param @p : tensor<64xf32> = #train.zeros
    train.param @q : tensor<4x8xf32> = #train.zeros
  }
  // CHECK-LABEL: kernel.program @update
  // CHECK-NOT: kernel.map
  // CHECK: kernel.multi_map {{.*}}kernel.places = [#kernel.place<state, 0, 0>, #kernel.place<state, 0, 256>]
  // CHECK-NOT: kernel.map
  // CHECK: kernel.return
  kernel.program @update(%p: tensor<64xf32> {train.is = #train.state<@p>}, %q: tensor<4x8xf32> {train.is = #train.state<@q>},
                         %g: tensor<64xf32> {train.is = #train.input<"g">}, %h: tensor<32xf32> {train.is = #train.input<"h">})
      -> (tensor<64xf32> {train.is = #train.state<@p>}, tensor<4x8xf32> {train.is = #train.state<@q>}) attributes {role = #train.role<export>, export_name = "a"} {
    %new:2 = kernel.multi_map shared() members 2 (%p, %g, %q, %h : tensor<64xf32>, tensor<64xf32>, tensor<4x8xf32>, tensor<32xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.subf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>, tensor<4x8xf32>
    kernel.return %new#0, %new#1 : tensor<64xf32>, tensor<4x8xf32>
  }
  // CHECK-LABEL: kernel.program @crossed
  // CHECK: kernel.multi_map {{.*}}kernel.places = [#kernel.place<arena, 0, 0>, #kernel.place<output, 0, 0>]
  // CHECK: kernel.map{{.*}}kernel.places = [#kernel.place<state, 0, 0>]
  kernel.program @crossed(%p: tensor<64xf32> {train.is = #train.state<@p>}, %g: tensor<64xf32> {train.is = #train.input<"g">})
      -> (tensor<64xf32> {train.is = #train.state<@p>}, tensor<64xf32> {train.is = #train.output<named, name = "y">}) attributes {role = #train.role<export>, export_name = "b"} {
    %new:2 = kernel.multi_map shared() members 2 (%p, %g, %g, %p : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.subf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<64xf32>, tensor<64xf32>
    kernel.return %new#0, %new#1 : tensor<64xf32>, tensor<64xf32>
  }
}
