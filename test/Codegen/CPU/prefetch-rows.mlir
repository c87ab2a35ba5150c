// Rows of a table are prefetched some rows ahead, up to four lines of each, where rows are read and where rows are written.
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx512" | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel.program @rows(%t: tensor<5000x40xf32>, %w: tensor<5000x200xf32>, %r: tensor<90x200xf32>, %i: tensor<90xi32>, %o: tensor<5000xi32>, %s: tensor<91xi32>) -> (tensor<90x40xf32>, tensor<5000x200xf32>, tensor<90x32xf32>) {
  %0 = kernel.gather %t, %i : tensor<5000x40xf32>, tensor<90xi32> -> tensor<90x40xf32>
  %1 = kernel.scatter_rows %r, %i into %w : tensor<90x200xf32>, tensor<90xi32>, tensor<5000x200xf32>
  %2 = kernel.segment_sum %w, %o, %s from 64 : tensor<5000x200xf32>, tensor<5000xi32>, tensor<91xi32> -> tensor<90x32xf32>
  kernel.return %0, %1, %2 : tensor<90x40xf32>, tensor<5000x200xf32>, tensor<90x32xf32>
}
// CHECK: llvm.func {{.*}}@model_k0
// CHECK-COUNT-3: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.func {{.*}}@model_k1
// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
// CHECK: llvm.func {{.*}}@model_k2
// CHECK-COUNT-2: llvm.intr.prefetch
// CHECK-NOT: llvm.intr.prefetch
