// Micro-batches of a loop whose rounds divide by the number of labels that count: the number is a total over all micro-batches, so that the loop is unrolled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers below: y 4. Unrolled: 1 loop.
train.model @ignored(batch = 4, time = 5, width = 4) {
  train.param @w : f32[width, width] = #train.normal<std = 0.4>
  train.func @loss(%x: f32[time, batch, width], %y: i32[time, batch]) {
    %zero = train.constant dense<0.0> : tensor<f32>
    %sum = train.scan carry %s = %zero over %r = %x, %label = %y {
      %logits = train.matmul %r, %w
      %ce = train.softmax_cross_entropy %logits, %label ignore -1
      %s1 = train.add %s, %ce
      train.next %s1
    }
    train.return %sum
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.01> {micro_batches = 3}
}
