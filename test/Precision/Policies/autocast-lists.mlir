// Every op of torch.autocast's lists that exists here, on a value in f16 (aten/src/ATen/autocast_mode.{h,cpp}).
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=autocast precision=f16" --train-strip-origins | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="policy=autocast-cpu precision=f16" --train-strip-origins | FileCheck %s --check-prefixes=CHECK,CPU
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @lists {
  // In f32 on CUDA; on CPUs in the type of the operands.
  // CHECK-LABEL: train.func @full
  train.func @full(%x: tensor<8x8xf32>, %g: tensor<8xf32>, %l: tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CUDA: train.exp {{.*}}amp.decision<"list-f32"
    // CPU:  train.exp {{.*}}amp.decision<"unlisted"
    %0 = train.exp %h : tensor<8x8xf32>
    // CUDA: train.log {{.*}}amp.decision<"list-f32"
    // CPU:  train.log {{.*}}amp.decision<"unlisted"
    %1 = train.log %h : tensor<8x8xf32>
    // CUDA: train.log1p {{.*}}amp.decision<"list-f32"
    // CPU:  train.log1p {{.*}}amp.decision<"unlisted"
    %2 = train.log1p %h : tensor<8x8xf32>
    // CUDA: train.reciprocal {{.*}}amp.decision<"list-f32"
    // CPU:  train.reciprocal {{.*}}amp.decision<"unlisted"
    %3 = train.reciprocal %h : tensor<8x8xf32>
    // CUDA: train.rsqrt {{.*}}amp.decision<"list-f32"
    // CPU:  train.rsqrt {{.*}}amp.decision<"unlisted"
    %4 = train.rsqrt %h : tensor<8x8xf32>
    // CUDA: train.pow {{.*}}amp.decision<"list-f32"
    // CPU:  train.pow {{.*}}amp.decision<"unlisted"
    %5 = train.pow %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    // CUDA: train.softplus {{.*}}amp.decision<"list-f32"
    // CPU:  train.softplus {{.*}}amp.decision<"unlisted"
    %6 = train.softplus %h : tensor<8x8xf32>
    // CUDA: train.layer_norm {{.*}}amp.decision<"list-f32"
    // CPU:  train.layer_norm {{.*}}amp.decision<"unlisted"
    %7 = train.layer_norm %h, %g, %g eps 1.0e-3 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
    // CUDA: train.rms_norm {{.*}}amp.decision<"list-f32"
    // CPU:  train.rms_norm {{.*}}amp.decision<"unlisted"
    %8 = train.rms_norm %h, %g eps 1.0e-3 : tensor<8x8xf32>, tensor<8xf32>
    // CUDA: train.logsumexp {{.*}}amp.decision<"list-f32"
    // CPU:  train.logsumexp {{.*}}amp.decision<"unlisted"
    %9 = train.logsumexp %h over [1] : tensor<8x8xf32>
    // CUDA: train.softmax {{.*}}amp.decision<"list-f32"
    // CPU:  train.softmax {{.*}}amp.decision<"unlisted"
    %10 = train.softmax %h : tensor<8x8xf32>
    // CUDA: train.log_softmax {{.*}}amp.decision<"list-f32"
    // CPU:  train.log_softmax {{.*}}amp.decision<"unlisted"
    %11 = train.log_softmax %h : tensor<8x8xf32>
    // CUDA: train.reduce_sum {{.*}}amp.decision<"list-f32"
    // CPU:  train.reduce_sum {{.*}}amp.decision<"unlisted"
    %12 = train.reduce_sum %h over [1] : tensor<8x8xf32>
    train.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  }
  // In f32 on both.
  // CHECK-LABEL: train.func @losses
  train.func @losses(%x: tensor<8x8xf32>, %g: tensor<8xf32>, %l: tensor<8xi32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.softmax_cross_entropy {{.*}}amp.decision<"list-f32"
    %0 = train.softmax_cross_entropy %h, %l reduce none : tensor<8x8xf32>, tensor<8xi32>
    // CHECK: train.bce_with_logits {{.*}}amp.decision<"list-f32"
    %1 = train.bce_with_logits %h, %h reduce none : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.mse {{.*}}amp.decision<"list-f32"
    %2 = train.mse %h, %h reduce none : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.l1 {{.*}}amp.decision<"list-f32"
    %3 = train.l1 %h, %h reduce none : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.smooth_l1 {{.*}}amp.decision<"list-f32"
    %4 = train.smooth_l1 %h, %h beta 1.0 reduce none : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  // In no list: in the type of the operands.
  // CHECK-LABEL: train.func @unlisted
  train.func @unlisted(%x: tensor<8x8xf32>, %g: tensor<8xf32>, %l: tensor<8xi32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.relu {{.*}}amp.decision<"unlisted"
    %0 = train.relu %h : tensor<8x8xf32>
    // CHECK: train.leaky_relu {{.*}}amp.decision<"unlisted"
    %1 = train.leaky_relu %h slope 0.01 : tensor<8x8xf32>
    // CHECK: train.gelu {{.*}}amp.decision<"unlisted"
    %2 = train.gelu %h : tensor<8x8xf32>
    // CHECK: train.silu {{.*}}amp.decision<"unlisted"
    %3 = train.silu %h : tensor<8x8xf32>
    // CHECK: train.sigmoid {{.*}}amp.decision<"unlisted"
    %4 = train.sigmoid %h : tensor<8x8xf32>
    // CHECK: train.tanh {{.*}}amp.decision<"unlisted"
    %5 = train.tanh %h : tensor<8x8xf32>
    // CHECK: train.sqrt {{.*}}amp.decision<"unlisted"
    %6 = train.sqrt %h : tensor<8x8xf32>
    // CHECK: train.abs {{.*}}amp.decision<"unlisted"
    %7 = train.abs %h : tensor<8x8xf32>
    // CHECK: train.neg {{.*}}amp.decision<"unlisted"
    %8 = train.neg %h : tensor<8x8xf32>
    // CHECK: train.square {{.*}}amp.decision<"unlisted"
    %9 = train.square %h : tensor<8x8xf32>
    // CHECK: train.erf {{.*}}amp.decision<"unlisted"
    %10 = train.erf %h : tensor<8x8xf32>
    // CHECK: train.add {{.*}}amp.decision<"unlisted"
    %11 = train.add %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.mul {{.*}}amp.decision<"unlisted"
    %12 = train.mul %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.div {{.*}}amp.decision<"unlisted"
    %13 = train.div %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.maximum {{.*}}amp.decision<"unlisted"
    %14 = train.maximum %h, %h : tensor<8x8xf32>, tensor<8x8xf32>
    // CHECK: train.reduce_mean {{.*}}amp.decision<"unlisted"
    %15 = train.reduce_mean %h over [1] : tensor<8x8xf32>
    // CHECK: train.reduce_max {{.*}}amp.decision<"unlisted"
    %16 = train.reduce_max %h over [1] : tensor<8x8xf32>
    train.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  // Contractions take f16, with and without gradients.
  // CHECK-LABEL: train.func @low
  train.func @low(%x: tensor<2x5x6x4xf32>, %f: tensor<3x3x3x4xf32>, %y: tensor<2x5x6x3xf32>)
      -> (tensor<2x5x6x3xf32>, tensor<2x5x6x4xf32>, tensor<3x3x3x4xf32>) {
    // CHECK: train.conv2d {{.*}}amp.decision<"list-low"{{.*}} : (tensor<2x5x6x4xf16>, tensor<3x3x3x4xf16>)
    %0 = train.conv2d %x, %f strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<2x5x6x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x6x3xf32>
    // CHECK: train.conv2d_grad_input {{.*}}amp.decision<"list-low"{{.*}} : (tensor<2x5x6x3xf16>, tensor<3x3x3x4xf16>)
    %1 = train.conv2d_grad_input %y, %f strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<2x5x6x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x6x4xf32>
    // CHECK: train.conv2d_grad_filter {{.*}}amp.decision<"list-low"{{.*}} : (tensor<2x5x6x4xf16>, tensor<2x5x6x3xf16>)
    %2 = train.conv2d_grad_filter %x, %y strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1 : (tensor<2x5x6x4xf32>, tensor<2x5x6x3xf32>) -> tensor<3x3x3x4xf32>
    train.return %0, %1, %2 : tensor<2x5x6x3xf32>, tensor<2x5x6x4xf32>, tensor<3x3x3x4xf32>
  }

  // The widest operand decides, for concat on CPUs only; elsewhere mixed operands promote as well, but no list says so.
  // CHECK-LABEL: train.func @promote
  train.func @promote(%x: tensor<8x8xf32>, %i: tensor<8xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
    %h = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CUDA: train.scatter_add {{.*}}amp.decision<"list-promote"
    // CPU:  train.scatter_add {{.*}}amp.decision<"unlisted"
    %0 = train.scatter_add %h at %i : tensor<8x8xf32>, tensor<8xi32> to tensor<4x8xf32>
    // CUDA: %[[WIDE:.*]] = train.scatter_add {{.*}}amp.decision<"list-promote"
    // CUDA-NOT: train.cast %[[WIDE]]
    %1 = train.scatter_add %x at %i : tensor<8x8xf32>, tensor<8xi32> to tensor<4x8xf32>
    // CUDA: train.concat {{.*}}amp.decision<"unlisted"{{.*}} : tensor<8x8xf16>, tensor<8x8xf16>
    // CPU:  train.concat {{.*}}amp.decision<"list-promote"{{.*}} : tensor<8x8xf16>, tensor<8x8xf16>
    %2 = train.concat %h, %h along 0 : tensor<8x8xf32>, tensor<8x8xf32>
    // CUDA: train.concat {{.*}}amp.decision<"unlisted"{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    // CPU:  train.concat {{.*}}amp.decision<"list-promote"{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %3 = train.concat %h, %x along 0 : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
}
