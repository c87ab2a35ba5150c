// Recurrent layers and cells as text: types, sizes, options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// RUN: %ampc-opt %s --mlir-print-op-generic | %ampc-opt | FileCheck %s

train.model @m(batch = 4, time = 7, in = 3, width = 8, states = 2) {
  // CHECK-LABEL: @rnn
  train.func @rnn(%x: f32[time, batch, in], %wx: f32[in, width], %wh: f32[width, width], %b: f32[width], %h0: f32[batch, width], %n: i32[batch]) {
    // CHECK: train.rnn %{{.*}}, %{{.*}}, %{{.*}} : tensor<7x4x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>
    %y, %h = train.rnn %x, %wx, %wh
    // CHECK: train.rnn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} from %{{.*}} lengths %{{.*}} activation relu reverse : tensor<7x4x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xi32>
    %z, %k = train.rnn %x, %wx, %wh, %b from %h0 lengths %n activation relu reverse
    // CHECK: train.rnn_cell %{{.*}}, %{{.*}}, %{{.*}} from %{{.*}} : tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>
    %l = train.rnn_cell %h, %wh, %wh from %h0
    train.return %y, %h, %z, %k, %l
  }

  // CHECK-LABEL: @gru
  // CHECK-SAME: -> (tensor<7x4x8xf32>{{.*}}, tensor<4x8xf32>{{.*}}, tensor<4x7x8xf32>{{.*}}, tensor<4x8xf32>
  train.func @gru(%x: f32[time, batch, in], %wx: f32[in, 3 * width], %wh: f32[width, 3 * width], %b: f32[3 * width]) {
    // CHECK: train.gru %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} reset_after : tensor<7x4x3xf32>, tensor<3x24xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<24xf32>
    %y, %h = train.gru %x, %wx, %wh, %b, %b reset_after
    %t = train.transpose %x [1, 0, 2]
    // CHECK: train.gru %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} gates "zrn" batch_first : tensor<4x7x3xf32>
    %z, %k = train.gru %t, %wx, %wh, %b gates "zrn" batch_first
    train.return %y, %h, %z, %k
  }

  // CHECK-LABEL: @lstm
  // CHECK-SAME: -> (tensor<7x4x2xf32>{{.*}}, tensor<4x2xf32>{{.*}}, tensor<4x8xf32>
  train.func @lstm(%x: f32[time, batch, in], %wx: f32[in, 4 * width], %wh: f32[states, 4 * width], %wp: f32[width, states], %p: f32[3 * width], %h0: f32[batch, states], %c0: f32[batch, width]) {
    // CHECK: train.lstm %{{.*}}, %{{.*}}, %{{.*}} from %{{.*}}, %{{.*}} project %{{.*}} peepholes %{{.*}} gates "iofg" : tensor<7x4x3xf32>, tensor<3x32xf32>, tensor<2x32xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<24xf32>
    %y, %h, %c = train.lstm %x, %wx, %wh from %h0, %c0 project %wp peepholes %p gates "iofg"
    train.return %y, %h, %c
  }
}
