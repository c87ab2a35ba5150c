// RUN: ampc compile %s --precision=f16 --explain-precision --compile-to=precision 2> %t.precision >/dev/null
// RUN: ampc compile %s --precision=f16 --explain-precision --compile-to=loss-scale 2> %t.loss-scale >/dev/null
// RUN: ampc compile %s --precision=f16 --explain-precision -o %t.d 2> %t.all >/dev/null
// RUN: grep "remark.*: cast from" %t.precision | FileCheck %s
// RUN: grep "remark.*: cast from" %t.precision | sort > %t.casts
// RUN: grep "remark.*: cast from" %t.loss-scale | sort | cmp - %t.casts
// RUN: grep "remark.*: cast from" %t.all | grep -v "again in the backward pass" | sort | cmp - %t.casts
// RUN: FileCheck %s --check-prefix=NORM < %t.precision
// RUN: grep "again in the backward pass" %t.all | FileCheck %s --check-prefix=AGAIN
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A cast is explained by the phase that decides on the cast, also if that is the last phase, and only there.
train.model @casts {
  train.param @v : tensor<8x8xf32> = #train.kaiming_uniform
  train.param @w : tensor<8x8xf32> = #train.kaiming_uniform
  train.param @gain : tensor<8xf32> = #train.ones
  train.func @loss(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<f32> {
    %v = train.read @v : tensor<8x8xf32>
    %w = train.read @w : tensor<8x8xf32>
    %gain = train.read @gain : tensor<8xf32>
    %u = train.matmul %x, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    // CHECK-DAG: explain-casts.mlir:[[# @LINE + 3]]:10: remark: loss/relu#0: cast from 'f16' to 'f32': train.rms_norm at loss/rms_norm#0 computes in f32
    // The gradient reads the same value in the backward pass.
    // AGAIN: explain-casts.mlir:[[# @LINE + 1]]:10: remark: loss/relu#0: cast from 'f16' to 'f32', again in the backward pass: train.rms_norm at loss/rms_norm#0 computes in f32
    %r = train.relu %u : tensor<4x8xf32>
    // CHECK-DAG: explain-casts.mlir:[[# @LINE + 2]]:10: remark: loss/rms_norm#0: cast from 'f32' to 'f16': the result is stored in f16
    // NORM: [[# @LINE + 1]]:10: remark: loss/rms_norm#0: {{.*}} computes in f32; stored in f16: before the gain a number is at most 2.83, so that a gain or bias of about 2.32e+04 is needed to overflow
    %n = train.rms_norm %r, %gain eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
    %p = train.matmul %n, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %l = train.mse %p, %y : tensor<4x8xf32>, tensor<4x8xf32>
    train.return %l : tensor<f32>
  }
  // CHECK-DAG: explain-casts.mlir:[[# @LINE + 1]]:3: remark: fit.update: cast from 'f32' to 'f16': the working copy of @w, which later steps read
  train.step @fit minimize @loss over [@v, @w, @gain] with #train.sgd<lr = 0.1>
}
