// A gradient belongs to a state: every run of the check starts from the same state, though a step writes a counter and a factor that the loss reads.
// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @check(batch = 6) {
  train.param @w : f32[5] = #train.normal<std = 1.0>
  train.buffer @factor : f32[5] = #train.ones
  train.buffer @steps : i32[] = #train.zeros
  train.func @loss(%x: f32[batch, 5]) {
    %growth = train.constant dense<1.5> : tensor<f32>
    %one = train.constant dense<1> : tensor<i32>
    %count = train.cast %steps to f32
    %a = train.mul %x, %w
    %b = train.mul %a, %factor
    %c = train.add %b, %count
    %next = train.mul %factor, %growth
    train.write @factor, %next
    %more = train.add %steps, %one
    train.write @steps, %more
    %s = train.square %c
    %l = train.reduce_mean %s over [0, 1]
    train.return %l
  }
  train.step @first minimize @loss over all with #train.sgd<lr = 0.1>
  train.step @second minimize @loss over all with #train.sgd<lr = 0.1>
}
