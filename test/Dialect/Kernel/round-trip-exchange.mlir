// RUN: ampc-opt %s | ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: kernel.program @sums
kernel.program @sums(%g: tensor<12x8xf32>, %l: tensor<f32>) -> (tensor<4x24xf32>, tensor<4x1xf32>, tensor<i32>) {
  // CHECK: [[P:%.*]] = kernel.start scatter %arg0 : tensor<12x8xf32> to tensor<4x24xf32>
  %0 = kernel.start scatter %g : tensor<12x8xf32> to tensor<4x24xf32>
  // CHECK: [[Q:%.*]] = kernel.start %arg1 : tensor<f32> to tensor<4x1xf32>
  %1 = kernel.start %l : tensor<f32> to tensor<4x1xf32>
  // CHECK: kernel.wait [[P]] sent %arg0 : tensor<4x24xf32>, tensor<12x8xf32>
  %2 = kernel.wait %0 sent %g : tensor<4x24xf32>, tensor<12x8xf32>
  // CHECK: kernel.wait [[Q]] sent %arg1 : tensor<4x1xf32>, tensor<f32>
  %3 = kernel.wait %1 sent %l : tensor<4x1xf32>, tensor<f32>
  // CHECK: kernel.rank : tensor<i32>
  %4 = kernel.rank : tensor<i32>
  kernel.return %2, %3, %4 : tensor<4x24xf32>, tensor<4x1xf32>, tensor<i32>
}
