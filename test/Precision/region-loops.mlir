// Regions around and inside of loops: ops of a round have the type of the innermost region.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc %s --precision=f32 --loops=keep --compile-to=precision 2>/dev/null | FileCheck %s
train.model @m(batch = 4, width = 8) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  // CHECK-LABEL: train.func @export.around
  // CHECK: train.scan carry {{.*}} times 2 : tensor<4x8xbf16>
  // CHECK: train.matmul {{.*}} : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
  // CHECK-NOT: train.matmul
  train.func @around(%x: f32[batch, width]) {
    %z = amp.autocast bf16 {
      %y = train.scan carry %h = %x times 2 {
        %m = train.matmul %h, %w
        %n = train.tanh %m
        train.next %n
      }
      amp.yield %y
    }
    train.return %z
  }
  // CHECK-LABEL: train.func @export.inside
  // The loop carries the type in which tanh is stored.
  // CHECK: train.scan carry {{.*}} times 2 : tensor<4x8xbf16>
  // CHECK: train.matmul {{.*}} : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf32>
  // CHECK-NOT: train.matmul
  // CHECK: train.return
  train.func @inside(%x: f32[batch, width]) {
    %z = amp.autocast bf16 {
      %y = train.scan carry %h = %x times 2 {
        %m = amp.autocast f16 {
          %p = train.matmul %h, %w
          amp.yield %p
        }
        %n = train.tanh %m
        train.next %n
      }
      amp.yield %y
    }
    train.return %z
  }
  train.export @around as "around"
  train.export @inside as "inside"
}
