// Results that are only read in another order are written in that order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --kernel-fold-transposes | FileCheck %s

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#pixels = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Both copies have the same order; the second adds a dimension.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[TURNED:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: kernel.program @both(
// CHECK: %[[Y:.*]]:2 = kernel.map(%{{.*}}) space [2, 3, 5] maps [#[[ALL]]] -> [#[[ALL]], #[[TURNED]]]
// CHECK: } : tensor<2x3x5xf32>, tensor<2x5x3xf32>
// CHECK: %[[V:.*]] = kernel.view %[[Y]]#1 : tensor<2x5x3xf32> to tensor<2x1x5x3xf32>
// CHECK-NEXT: kernel.return %[[Y]]#0, %[[Y]]#1, %[[V]]
kernel.program @both(%x: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x1x5x3xf32>) {
  %y:2 = kernel.map(%x : tensor<2x3x5xf32>) space [2, 3, 5] maps [#all] -> [#all, #all] {
  ^bb0(%a: f32):
    %0 = math.tanh %a : f32
    %1 = arith.addf %a, %0 : f32
    kernel.yield %0, %1 : f32, f32
  } : tensor<2x3x5xf32>, tensor<2x3x5xf32>
  %t = kernel.map(%y#1 : tensor<2x3x5xf32>) space [2, 5, 3] maps [#turned] -> [#all] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<2x5x3xf32>
  %i = kernel.map(%y#1 : tensor<2x3x5xf32>) space [2, 1, 5, 3] maps [#image] -> [#pixels] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<2x1x5x3xf32>
  kernel.return %y#0, %t, %i : tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x1x5x3xf32>
}

// Another reader needs the first order; a gradient keeps the order that the update reads.
// CHECK-LABEL: kernel.program @wanted(
// CHECK-COUNT-4: kernel.map
kernel.program @wanted(%x: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %y = kernel.map(%x : tensor<2x3x5xf32>) space [2, 3, 5] maps [#all] -> [#all] {
  ^bb0(%a: f32):
    %0 = math.tanh %a : f32
    kernel.yield %0 : f32
  } : tensor<2x3x5xf32>
  %t = kernel.map(%y : tensor<2x3x5xf32>) space [2, 5, 3] maps [#turned] -> [#all] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<2x5x3xf32>
  %g = kernel.map(%x : tensor<2x3x5xf32>) space [2, 3, 5] maps [#all] -> [#all] attributes {kernel.barrier} {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    kernel.yield %0 : f32
  } : tensor<2x3x5xf32>
  %u = kernel.map(%g : tensor<2x3x5xf32>) space [2, 5, 3] maps [#turned] -> [#all] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<2x5x3xf32>
  kernel.return %y, %t, %u : tensor<2x3x5xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>
}
