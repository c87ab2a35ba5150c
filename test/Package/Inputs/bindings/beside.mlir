// Numbers beside the loss whose names are hard for languages other than C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @Sum(batch = 4) {
  train.param @w : f32[1, 1] = #train.fill<0.5>
  train.func @loss(%x: f32[batch, 1], %numbers: f32[batch, 1]) {
    %p = train.matmul %x, %w
    %fit = train.mse %p, %numbers
    %square = train.mul %w, %w
    %penalty = train.reduce_sum %square over [0, 1]
    %total = train.add %fit, %penalty
    train.return %total, %fit as "report", %penalty as "Report", %total as "class", %fit as "a term", %penalty as "train_step_numbers"
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.125> {nonfinite = "skip"}
}
