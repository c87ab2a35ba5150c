// Terms of the sum over rounds are -0 where w is above 0.9: floor(0.9 / w) is 0 there, and the derivative of mod is the negative of that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module {
  train.model @m {
    train.param @w : tensor<8x16xf32> = #train.uniform<low = 0.5, high = 2.0>
    train.buffer @b : tensor<8x16xf32> = #train.fill<9.000000e-01>
    train.func @loss(%x: tensor<8x16xf32> {train.is = #train.input<"x">}) -> tensor<f32> {
      %b = train.read @b : tensor<8x16xf32>
      %r = train.scan carry %h = %b times 8 checkpoint every 2 : tensor<8x16xf32> {
        %w = train.read @w : tensor<8x16xf32>
        %1 = train.mod %b, %w : tensor<8x16xf32>, tensor<8x16xf32>
        %2 = train.add %h, %1 : tensor<8x16xf32>, tensor<8x16xf32>
        %3 = train.tanh %2 : tensor<8x16xf32>
        train.next %3 : tensor<8x16xf32>
      }
      %4 = train.mse %r, %x : tensor<8x16xf32>, tensor<8x16xf32>
      train.return %4 : tensor<f32>
    }
    train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
  }
}
