// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @mixed {
  train.param @w1 : tensor<24x40xf32> = #train.kaiming_uniform
  train.param @b1 : tensor<40xf32> = #train.zeros
  train.param @gamma : tensor<40xf32> = #train.ones
  train.param @beta : tensor<40xf32> = #train.zeros
  train.param @w2 : tensor<40x40xf32> = #train.kaiming_uniform
  train.param @b2 : tensor<40xf32> = #train.zeros
  train.param @w3 : tensor<40x5xf32> = #train.kaiming_uniform
  train.param @b3 : tensor<5xf32> = #train.zeros
  train.func @loss(%x: tensor<12x24xf32>, %y: tensor<12xi32>) -> tensor<f32> {
    %w1 = train.read @w1 : tensor<24x40xf32>
    %b1 = train.read @b1 : tensor<40xf32>
    %gamma = train.read @gamma : tensor<40xf32>
    %beta = train.read @beta : tensor<40xf32>
    %w2 = train.read @w2 : tensor<40x40xf32>
    %b2 = train.read @b2 : tensor<40xf32>
    %w3 = train.read @w3 : tensor<40x5xf32>
    %b3 = train.read @b3 : tensor<5xf32>
    %0 = train.linear %x, %w1, %b1 : tensor<12x24xf32>, tensor<24x40xf32>, tensor<40xf32>
    %1 = train.layer_norm %0, %gamma, %beta eps 1.0e-5 : tensor<12x40xf32>, tensor<40xf32>, tensor<40xf32>
    %2 = train.gelu %1 : tensor<12x40xf32>
    %3 = train.dropout %2 rate 0.1 : tensor<12x40xf32>
    %4 = train.linear %3, %w2, %b2 : tensor<12x40xf32>, tensor<40x40xf32>, tensor<40xf32>
    %5 = train.add %4, %0 : tensor<12x40xf32>, tensor<12x40xf32>
    %6 = train.relu %5 : tensor<12x40xf32>
    %7 = train.linear %6, %w3, %b3 : tensor<12x40xf32>, tensor<40x5xf32>, tensor<5xf32>
    %8 = train.softmax_cross_entropy %7, %y : tensor<12x5xf32>, tensor<12xi32>
    train.return %8 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w1, @b1, @gamma, @beta, @w2, @b2, @w3, @b3]
    with #train.adamw<lr = 0.01> {clip_norm = 1.0}
}
