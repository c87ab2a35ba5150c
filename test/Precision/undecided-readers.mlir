// RUN: ampc compile %s --precision=bf16 --policy=narrow --compile-to=precision | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op with operands of several types, such as an update whose moments are bf16, keeps the written types of all other operands.
train.model @m {
  train.param @w : f32[6] = #train.ones
  train.func @loss(%x: f32[6], %a: f32[6, 6]) {
    %w = train.read @w
    %y = amp.autocast f32 -> tensor<6xf32> {
      %0 = train.linear %x, %a, %w : tensor<6xf32>, tensor<6x6xf32>, tensor<6xf32>
      %1 = train.hardswish %0 : tensor<6xf32>
      amp.yield %1 : tensor<6xf32>
    }
    %l = train.reduce_sum %y over [0]
    train.return %l
  }
  train.step @fit minimize @loss over [@w] with #train.adam<lr = 0.5, moments = bf16>
}
// CHECK-LABEL: train.func @fit.train
// CHECK:       %[[WIDE:.*]] = train.cast {{.*}}train.update at fit.update{{.*}} : tensor<6xbf16> to tensor<6xf32>
// CHECK:       train.update %{{.*}} by #train.adam<{{.*}}> from %[[WIDE]]
