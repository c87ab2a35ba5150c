// A chain of sums of scalars, of more tensors than a kernel has: one kernel on devices, several on CPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed 's/TARGET/sm_80/' %s | ampc-opt --kernel-fuse | FileCheck %s --check-prefix=DEVICE
// RUN: sed 's/TARGET/cpu/' %s | ampc-opt --kernel-fuse | FileCheck %s --check-prefix=CPU

// DEVICE-COUNT-1: kernel.map
// DEVICE-NOT: kernel.map
// CPU-COUNT-2: kernel.map
// CPU-NOT: kernel.map
#none = affine_map<() -> ()>
module attributes {kernel.target = "TARGET"} {
kernel.program @norm(%x0: tensor<f64>, %x1: tensor<f64>, %x2: tensor<f64>, %x3: tensor<f64>, %x4: tensor<f64>, %x5: tensor<f64>, %x6: tensor<f64>,
      %x7: tensor<f64>, %x8: tensor<f64>, %x9: tensor<f64>, %x10: tensor<f64>, %x11: tensor<f64>, %x12: tensor<f64>, %x13: tensor<f64>,
      %x14: tensor<f64>, %x15: tensor<f64>, %x16: tensor<f64>, %x17: tensor<f64>, %x18: tensor<f64>, %x19: tensor<f64>, %x20: tensor<f64>,
      %x21: tensor<f64>, %x22: tensor<f64>, %x23: tensor<f64>, %x24: tensor<f64>, %x25: tensor<f64>, %x26: tensor<f64>,
      %x27: tensor<f64>) -> tensor<f64> {
  %s = kernel.map(%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7, %x8, %x9 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>,
      tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) space [] maps [#none, #none, #none, #none, #none, #none, #none, #none, #none,
      #none] -> [#none] {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %a9: f64):
    %1 = arith.addf %a0, %a1 : f64
    %2 = arith.addf %1, %a2 : f64
    %3 = arith.addf %2, %a3 : f64
    %4 = arith.addf %3, %a4 : f64
    %5 = arith.addf %4, %a5 : f64
    %6 = arith.addf %5, %a6 : f64
    %7 = arith.addf %6, %a7 : f64
    %8 = arith.addf %7, %a8 : f64
    %9 = arith.addf %8, %a9 : f64
    kernel.yield %9 : f64
  } : tensor<f64>
  %t = kernel.map(%s, %x10, %x11, %x12, %x13, %x14, %x15, %x16, %x17, %x18 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>,
      tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) space [] maps [#none, #none, #none, #none, #none, #none, #none, #none, #none,
      #none] -> [#none] {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %a9: f64):
    %1 = arith.addf %a0, %a1 : f64
    %2 = arith.addf %1, %a2 : f64
    %3 = arith.addf %2, %a3 : f64
    %4 = arith.addf %3, %a4 : f64
    %5 = arith.addf %4, %a5 : f64
    %6 = arith.addf %5, %a6 : f64
    %7 = arith.addf %6, %a7 : f64
    %8 = arith.addf %7, %a8 : f64
    %9 = arith.addf %8, %a9 : f64
    kernel.yield %9 : f64
  } : tensor<f64>
  %u = kernel.map(%t, %x19, %x20, %x21, %x22, %x23, %x24, %x25, %x26, %x27 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>,
      tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) space [] maps [#none, #none, #none, #none, #none, #none, #none, #none, #none,
      #none] -> [#none] {
  ^bb0(%a0: f64, %a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %a9: f64):
    %1 = arith.addf %a0, %a1 : f64
    %2 = arith.addf %1, %a2 : f64
    %3 = arith.addf %2, %a3 : f64
    %4 = arith.addf %3, %a4 : f64
    %5 = arith.addf %4, %a5 : f64
    %6 = arith.addf %5, %a6 : f64
    %7 = arith.addf %6, %a7 : f64
    %8 = arith.addf %7, %a8 : f64
    %9 = arith.addf %8, %a9 : f64
    kernel.yield %9 : f64
  } : tensor<f64>
  kernel.return %u : tensor<f64>
}
}
