// Moved operands of a contraction stay in the stored type: attention reads the heads where the product before wrote the heads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc compile %s --precision=bf16 --compile-to=kernels -o - | FileCheck %s

// CHECK-LABEL: kernel.program @fit.train
// CHECK:       %[[PARTS:[0-9]+]] = kernel.view %{{.*}} : tensor<128x96xbf16> to tensor<8x16x6x16xbf16>
// CHECK-NEXT:  kernel.attention(%[[PARTS]], %[[PARTS]], %[[PARTS]] :
// CHECK:       kernel.attention_grad(%[[PARTS]], %[[PARTS]], %[[PARTS]],
train.model @heads(batch = 8, context = 16, width = 32, heads = 2) {
  train.param @qkv : f32[width, 3 * width] = #train.xavier_uniform
  train.param @project : f32[width, width] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, context, width], %y: f32[batch, context, width]) {
    %all = train.linear %x, %qkv
    %parts = train.reshape %all to [batch, context, 3 * heads, width / heads]
    %q0, %k0, %v0 = train.split %parts into [heads, heads, heads] along 2
    %q = train.transpose %q0 [0, 2, 1, 3]
    %k = train.transpose %k0 [0, 2, 1, 3]
    %v = train.transpose %v0 [0, 2, 1, 3]
    %a = train.attention %q, %k, %v causal
    %a1 = train.transpose %a [0, 2, 1, 3]
    %a2 = train.reshape %a1 to [batch, context, width]
    %p = train.linear %a2, %project
    %l = train.mse %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
