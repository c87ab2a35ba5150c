// A function without code is refused at the op, before LLVM would make a call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not ampc-kernel-run --target=sm_80 --emit=ptx %s 2>&1 | FileCheck %s

#id = affine_map<(d0) -> (d0)>
kernel.program @angles(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = kernel.map(%x : tensor<8xf64>) space [8] maps [#id] -> [#id] {
  ^bb0(%a: f64):
    // CHECK: functions.mlir":[[#@LINE+1]]:{{.*}}error: expected a function that GPUs have code for, but got math.atan of 'f64'
    %0 = math.atan %a : f64
    kernel.yield %0 : f64
  } : tensor<8xf64>
  kernel.return %y : tensor<8xf64>
}
