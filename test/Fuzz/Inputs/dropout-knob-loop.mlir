// Dropout by a knob inside of a loop of 5 rounds; 4 rounds and less are unrolled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.knob @drop = 5.000000e-01 in [0.000000e+00, 9.000000e-01]
    train.param @w : tensor<8x8xf32> = #train.xavier_uniform
    train.func @loss(%x: tensor<5x4x8xf32> {train.is = #train.input<"x">}, %y: tensor<4x8xf32> {train.is = #train.input<"y">}) -> tensor<f32> {
      %w = train.read @w : tensor<8x8xf32>
      %zero = train.constant dense<0.000000e+00> : tensor<4x8xf32>
      %h = train.scan carry %a = %zero over %r = %x : tensor<4x8xf32>, tensor<5x4x8xf32> {
        %p = train.matmul %a, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
        %q = train.dropout %p rate 5.000000e-01 {train.knobs = {rate = @drop}} : tensor<4x8xf32>
        %t = train.add %q, %r : tensor<4x8xf32>, tensor<4x8xf32>
        train.next %t : tensor<4x8xf32>
      }
      %l = train.mse %h, %y : tensor<4x8xf32>, tensor<4x8xf32>
      train.return %l : tensor<f32>
    }
    train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
  }
}
