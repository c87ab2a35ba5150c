// Code needs the configured workspace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --kernel-emit 2>&1 | FileCheck %s

#in = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d2)>
module attributes {kernel.target = "sm_80"} {
kernel.program @workspace(%x: tensor<512x64xf32>) -> tensor<64xf32> {
  // CHECK: workspace.mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.reduce' op expected a workspace of at least 512 bytes, but got 0
  %y = kernel.reduce sum(%x : tensor<512x64xf32>) space [1, 512, 64] maps [#in] -> [#out] attributes {parts = 2 : i64} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<64xf32>
  kernel.return %y : tensor<64xf32>
}
}
