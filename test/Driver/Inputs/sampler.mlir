// An export without inputs, whose calls draw 8 rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @sampler(rows = 8) {
  train.func @draw() {
    %x = train.random_uniform from -1.0 to 1.0 : f32[rows, 2]
    train.return %x
  }
  train.export @draw as "draw"
}
