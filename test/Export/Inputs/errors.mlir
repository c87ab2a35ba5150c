// Other files have the mistakes that the test makes with this model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @errors {
  train.param @w : f32[2, 3] = #train.xavier_uniform {frozen}
  train.func @f(%x: f32[4, 2]) {
    %y = train.matmul %x, %w
    train.return %y
  }
  train.func @g(%x: f32[4, 2]) {
    %n = train.random_normal mean 0.0 std 1.0 : f32[4, 2]
    %y = train.add %x, %n
    %z = train.erfinv %y
    train.return %z
  }
  train.export @f as "predict"
  train.export @g as "noise"
}
