// Passes over a parameter's gradient. The product writes the gradient, counts values that are not finite and with clipping sums the squares, and one
// kernel unscales, clips, updates, and writes parameter, moments and the f16 copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=f16 --compile-to=kernels | FileCheck %s --check-prefix=SCALED
// RUN: sed 's/{clip_norm = 1.0}//' %s > %t.mlir
// RUN: ampc compile %t.mlir --precision=f16 --compile-to=kernels | FileCheck %s --check-prefix=FLAG
// RUN: ampc compile %t.mlir --precision=bf16 --compile-to=kernels | FileCheck %s --check-prefix=PLAIN

train.model @line {
  train.param @w : tensor<48x40xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<32x48xf32>, %y: tensor<32x40xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<48x40xf32>
    %0 = train.matmul %x, %w : (tensor<32x48xf32>, tensor<48x40xf32>) -> tensor<32x40xf32>
    %1 = train.mse %0, %y : tensor<32x40xf32>, tensor<32x40xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.adamw<lr = 0.1> {clip_norm = 1.0}
}
// SCALED-LABEL: kernel.program @fit.train
// SCALED:       %[[G:.*]]:3 = kernel.fused_reduction({{.*}}) of {
// SCALED:       kernel.gemm {{.*}} space [48, 40]
// SCALED:       } {kernel.barrier, parts = 256 : i64, {{(train.origins = .*, )?}}workspace_bytes = {{[0-9]+}} : i64} : tensor<48x40xf32>, tensor<1x1xi32>, tensor<1xf64>
// SCALED-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// SCALED:       %{{.*}}:4 = kernel.map(%[[G]]#0, {{.*}}) space [48, 40]
// SCALED-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// SCALED:       } : tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xf16>
// SCALED-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// SCALED:       kernel.return

// FLAG-LABEL: kernel.program @fit.train
// FLAG:       %[[G:.*]]:2 = kernel.fused_reduction({{.*}}) of {
// FLAG:       kernel.gemm {{.*}} space [48, 40]
// FLAG-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// FLAG:       %{{.*}}:4 = kernel.map(%[[G]]#0, {{.*}}) space [48, 40]
// FLAG-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// FLAG:       } : tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xf16>
// FLAG-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// FLAG:       kernel.return

// PLAIN-LABEL: kernel.program @fit.train
// PLAIN:       %[[G:.*]]:2 = kernel.fused_reduction({{.*}}) of {
// PLAIN:       kernel.gemm {{.*}} space [48, 40]
// PLAIN:       } {kernel.barrier, parts = 256 : i64, {{(train.origins = .*, )?}}workspace_bytes = {{[0-9]+}} : i64} : tensor<48x40xf32>, tensor<1x1xi32>
// PLAIN-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// PLAIN:       %{{.*}}:4 = kernel.map({{.*}}, %[[G]]#0, {{.*}}) space [48, 40]
// PLAIN-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// PLAIN:       } : tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xf32>, tensor<48x40xbf16>
// PLAIN-NOT:   {{[(, ]}}%[[G]]#0{{[,) ]}}
// PLAIN:       kernel.return
