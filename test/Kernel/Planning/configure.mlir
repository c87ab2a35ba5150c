// Attributes that kernels leave to the target, and the demands of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --kernel-configure | FileCheck %s --check-prefix=CPU
// RUN: sed 's/"cpu"/"reference"/' %s | %ampc-opt --kernel-configure | FileCheck %s --check-prefix=REFERENCE
// RUN: not %ampc-opt %s --kernel-emit="tiers=plain" 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=plain" | FileCheck %s --check-prefix=CODE
// CODE: llvm.func hidden @model_k1_plain

module attributes {kernel.target = "cpu"} {
kernel.program @sums(%x: tensor<1024x64xf32>, %i: tensor<12xi32>) -> (tensor<64xf32>, tensor<12xi32>) {
  // CPU: kernel.reduce {{.*}} attributes {parts = 4 : i64, workspace_bytes = 1024 : i64}
  // REFERENCE: kernel.reduce {{.*}} -> [#{{[a-z0-9]+}}] {
  // ERROR: configure.mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.reduce' op expected a workspace of at least 1024 bytes, but got 0
  %y = kernel.reduce sum(%x : tensor<1024x64xf32>) space [1, 1024, 64] maps [affine_map<(d0, d1, d2) -> (d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d2)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<64xf32>
  // CPU: kernel.sort_by_key {{.*}} {workspace_bytes = 1088 : i64}
  // REFERENCE: kernel.sort_by_key %{{.*}} of 100 :
  %rows, %order, %starts = kernel.sort_by_key %i of 100 : tensor<12xi32> -> tensor<12xi32>, tensor<12xi32>, tensor<13xi32>
  kernel.return %y, %order : tensor<64xf32>, tensor<12xi32>
}
}
