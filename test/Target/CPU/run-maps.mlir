// RUN: ampc-kernel-run %s | FileCheck %s --implicit-check-not=FAILED
// Pointwise, row-wise, sliced and broadcast maps at odd sizes, on every tier of this processor.

// CHECK: plain: {{|.*}}
// CHECK-COUNT-12: ok

#id1 = affine_map<(d0) -> (d0)>
#none1 = affine_map<(d0) -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// x * scalar + y, 4099 elements in one task.
kernel.program @pointwise(%x: tensor<4099xf32>, %y: tensor<4099xf32>, %s: tensor<f32>) -> tensor<4099xf32> {
  %0 = kernel.map(%x, %y, %s : tensor<4099xf32>, tensor<4099xf32>, tensor<f32>) space [4099]
      maps [#id1, #id1, #none1] -> [#id1] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = math.exp %c : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %2, %b : f32
    kernel.yield %3 : f32
  } : tensor<4099xf32>
  kernel.return %0 : tensor<4099xf32>
}
