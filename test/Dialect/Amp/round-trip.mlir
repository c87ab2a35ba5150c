// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: train.model @regions
train.model @regions {
  // CHECK: amp.scaler @own = #amp.scaling<initial = 1.280000e+02, interval = 1>
  amp.scaler @own = #amp.scaling<initial = 128.0, interval = 1>
  // CHECK-NEXT: amp.scaler @torch = #amp.scaling{{$}}
  amp.scaler @torch = torch
  // CHECK-NEXT: amp.scaler @tf = #amp.scaling<initial = 3.276800e+04, floor = 1.000000e+00>
  amp.scaler @tf = tf
  // CHECK-NEXT: amp.scaler @apex = #amp.scaling<cap = 0x4170000000000000>
  amp.scaler @apex = apex
  // CHECK-NEXT: amp.scaler @paddle = #amp.scaling<initial = 3.276800e+04, interval = 1000>
  amp.scaler @paddle = paddle
  // CHECK-NEXT: amp.scaler @constant = #amp.scaling<dynamic = false, initial = 1.024000e+03>
  amp.scaler @constant = #amp.scaling<dynamic = false, initial = 1024.0>
  train.func @f(%x: tensor<8x3xf32>, %w: tensor<3x4xf32>) -> tensor<8x4xf32> {
    // CHECK: %[[R:.*]] = amp.autocast bf16 -> tensor<8x4xf32> {
    %y = amp.autocast bf16 -> tensor<8x4xf32> {
      %0 = train.matmul %x, %w : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
      // CHECK: amp.autocast disabled -> tensor<8x4xf32> {
      %1 = amp.autocast disabled -> tensor<8x4xf32> {
        %2 = train.relu %0 : tensor<8x4xf32>
        amp.yield %2 : tensor<8x4xf32>
      }
      // CHECK: amp.yield %{{.*}} : tensor<8x4xf32>
      amp.yield %1 : tensor<8x4xf32>
    }
    train.return %y : tensor<8x4xf32>
  }
  // CHECK-LABEL: train.func @step
  train.func @step(%g: tensor<4xf16>, %scale: tensor<f32>, %good: tensor<i32>, %left: tensor<i32>, %found_inf: tensor<i1>) -> tensor<4xf32> {
    // CHECK: amp.mark_scaled %{{.*}} : tensor<4xf16>
    %0 = amp.mark_scaled %g : tensor<4xf16>
    // CHECK: amp.unscale %{{.*}} by %{{.*}} : <tensor<4xf16>> to tensor<4xf32>
    %1, %bad = amp.unscale %0 by %scale : !amp.scaled<tensor<4xf16>> to tensor<4xf32>
    // CHECK: amp.non_finite %{{.*}} : tensor<4xf32>
    %2 = amp.non_finite %1 : tensor<4xf32>
    // CHECK: amp.update_scale %{{.*}}, %{{.*}}, %{{.*}} found_inf %{{.*}} with <initial = 1.280000e+02>
    %3:3 = amp.update_scale %scale, %good, %left found_inf %found_inf with <initial = 128.0>
    train.return %1 : tensor<4xf32>
  }
}
