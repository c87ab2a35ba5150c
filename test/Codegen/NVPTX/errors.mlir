// Kernels without code for GPUs are refused at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --kernel-configure --kernel-emit 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: sed 's/"sm_80"/"sm_70"/' %s | not %ampc-opt - --kernel-emit 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not ampc-opt %s --kernel-emit-nvptx 2>&1 | FileCheck %s --check-prefix=OLD
// CHIP: error: expected kernel.target to be one of cpu, {{.*}}, but got 'sm_70'
// OLD: the pass kernel-emit-nvptx is now called kernel-emit, which expects a module with kernel.target = CHIP

#packed = #kernel.packed<rhs, depth = 0, bytes = 4096>
module attributes {kernel.target = "sm_80"} {
kernel.program @pack(%x: tensor<8x16xf32>) -> tensor<8x16xf32, #packed> {
  // CHECK: errors.mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.pack' op has no code for GPUs
  %y = kernel.pack %x : tensor<8x16xf32> to tensor<8x16xf32, #packed>
  kernel.return %y : tensor<8x16xf32, #packed>
}
}
