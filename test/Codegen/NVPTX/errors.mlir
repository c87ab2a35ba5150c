// Kernels without code for GPUs are refused at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %ampc-opt %s --kernel-configure --kernel-emit-nvptx 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %ampc-opt --kernel-emit-nvptx="chip=sm_70" %s 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected a chip that ampc knows, but got sm_70

#packed = #kernel.packed<rhs, depth = 0, bytes = 4096>
kernel.program @pack(%x: tensor<8x16xf32>) -> tensor<8x16xf32, #packed> {
  // CHECK: errors.mlir:[[#@LINE+1]]:{{.*}}error: 'kernel.pack' op has no code for GPUs
  %y = kernel.pack %x : tensor<8x16xf32> to tensor<8x16xf32, #packed>
  kernel.return %y : tensor<8x16xf32, #packed>
}
