// An optimizer that moves every row of a table of 12.8 MB, of which a step reads 64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @table(batch = 64) {
  train.param @rows : f32[50000, 64] = #train.zeros
  train.func @loss(%i: i32[batch], %y: f32[batch, 64]) {
    %e = train.embedding %rows at %i
    %l = train.mse %e, %y
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adam<lr = 0.1>
}
