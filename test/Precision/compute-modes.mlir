// Modes of contractions: carried to the kernels, refused by CPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision=precision=tf32 --train-strip-origins | FileCheck %s --check-prefix=TF32
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision=precision=fp8 --train-strip-origins | FileCheck %s --check-prefix=FP8
// RUN: ampc compile %s --precision-override 'matmul=fp8' --compile-to=kernels | FileCheck %s --check-prefix=KERNEL
// RUN: not ampc compile %s --precision=tf32 -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not ampc compile %s --precision-override 'matmul=fp8' -o %t 2>&1 | FileCheck %s --check-prefix=ERROR8

// The mode of a named contraction, on the command line or in a policy file, in a model of any precision. A contraction that the model fixes in 16 bits stays.
// RUN: ampc compile %s --precision=bf16 --precision-override 'matmul#0=tf32' --compile-to=precision | FileCheck %s --check-prefix=ONE
// RUN: echo 'name matmul#0 = fp8   # the first layer' > %t.policy
// RUN: ampc compile %s --precision=f16 --policy-file=%t.policy --compile-to=precision | FileCheck %s --check-prefix=FILE
// RUN: not ampc compile %s --precision=bf16 --policy-file=%t.policy -o %t 2>&1 | FileCheck %s --check-prefix=FILEERROR
// RUN: ampc compile %s --precision-override 'matmul=f8E5M2' --compile-to=precision | FileCheck %s --check-prefix=E5M2
// RUN: not ampc compile %s --precision-override 'matmul#0=e4m3' -o %t 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: override matmul#0=e4m3: expected f32, bf16, f16, or a mode of contractions (tf32, fp8, f8E4M3FN, f8E5M2), but got e4m3

train.model @line {
  train.param @w1 : tensor<16x8xf32> = #train.kaiming_uniform
  train.param @w2 : tensor<8x8xf32> = #train.kaiming_uniform
  train.func @loss(%x: tensor<32x16xf32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<16x8xf32>
    %w2 = train.read @w2 : tensor<8x8xf32>
    // FILEERROR: compute-modes.mlir:[[#@LINE+1]]:{{.*}}error: expected a contraction in a type that CPUs multiply, but got the mode [f8E4M3FN, f8E4M3FN] of GPUs
    %0 = train.matmul %x, %w1 : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %1 = train.tanh %0 : tensor<32x8xf32>
    %2 = train.matmul %1, %w2 {compute = f32} : (tensor<32x8xf32>, tensor<8x8xf32>) -> tensor<32x8xf32>
    // The backward pass of %3 needs nothing of the forward pass and comes first.
    // ERROR:  compute-modes.mlir:[[#@LINE+2]]:{{.*}}error: expected a contraction in a type that CPUs multiply, but got the mode [tf32, tf32] of GPUs
    // ERROR8: compute-modes.mlir:[[#@LINE+1]]:{{.*}}error: expected a contraction in a type that CPUs multiply, but got the mode [f8E5M2, f8E4M3FN] of GPUs
    %3 = train.matmul %2, %w2 : (tensor<32x8xf32>, tensor<8x8xf32>) -> tensor<32x8xf32>
    %4 = train.reduce_sum %3 over [0, 1] : tensor<32x8xf32>
    train.return %4 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @w2] with #train.sgd<lr = 0.1>
}
// Values stay f32; a contraction that the model fixes stays without a mode.
// TF32-LABEL: train.func @fit.train
// TF32-NOT: to tensor<{{.*}}tf32>
// TF32: train.matmul {{.*}} {amp.compute = [tf32, tf32]} : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
// TF32: train.matmul {{.*}} : (tensor<32x8xf32>

// A gradient is multiplied in the format with more range. The adjoint of a contraction that the model fixes stays without a mode, too.
// FP8-LABEL: train.func @fit.train
// FP8:      train.matmul {{.*}} {amp.compute = [f8E4M3FN, f8E4M3FN]} : (tensor<32x16xf32>, tensor<16x8xf32>)
// FP8:      train.matmul {{.*}} :
// FP8:      train.matmul {{.*}} {amp.compute = [f8E4M3FN, f8E4M3FN]}
// FP8:      train.seed
// FP8:      train.matmul {{.*}} transpose_rhs {amp.compute = [f8E5M2, f8E4M3FN]}
// FP8-NEXT: train.matmul {{.*}} transpose_lhs {amp.compute = [f8E4M3FN, f8E5M2]}
// FP8-NEXT: train.matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}} transpose_rhs :
// FP8-NEXT: train.matmul %{{[a-z0-9]+}}, %{{[a-z0-9]+}} transpose_lhs :
// FP8:      train.matmul {{.*}} transpose_lhs {amp.compute = [f8E4M3FN, f8E5M2]} : (tensor<32x16xf32>, tensor<32x8xf32>)

// ONE-LABEL: train.func @fit.train
// ONE:     train.matmul {{.*}}amp.compute = [tf32, tf32]{{.*}} : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
// ONE-NOT: amp.compute
// ONE:     train.matmul {{.*}} : (tensor<32x8xbf16>, tensor<8x8xbf16>)
// ONE:     train.seed
// ONE:     train.matmul {{.*}}amp.compute = [tf32, tf32]

// FILE-LABEL: train.func @fit.train
// FILE:       train.matmul {{.*}}amp.compute = [f8E4M3FN, f8E4M3FN]
// FILE:       train.seed
// FILE:       train.matmul {{.*}}amp.compute = [f8E4M3FN, f8E5M2]

// E5M2-LABEL: train.func @fit.train
// E5M2:       train.matmul {{.*}}amp.compute = [f8E5M2, f8E5M2]
// E5M2-NOT:   f8E4M3FN

// KERNEL: kernel.gemm {{.*}}compute = [f8E4M3FN, f8E5M2]
