// A perceptron of three layers: products, bias, ReLU and a classifier's loss, and nothing else. The rate is so low that a
// batch which is seen again and again is not learnt by heart: gradients that vanish become denormal numbers, which are slow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @mlp(batch = 256, in = 1024, hidden = 2048, classes = 1000) {
  train.param @first.weight : f32[in, hidden] = #train.kaiming_uniform
  train.param @first.bias : f32[hidden] = #train.zeros
  train.param @second.weight : f32[hidden, hidden] = #train.kaiming_uniform
  train.param @second.bias : f32[hidden] = #train.zeros
  train.param @output.weight : f32[hidden, classes] = #train.xavier_uniform
  train.param @output.bias : f32[classes] = #train.zeros
  train.func @scores(%x: f32[batch, in]) {
    %a = train.linear %x, %first.weight, %first.bias
    %h = train.relu %a
    %b = train.linear %h, %second.weight, %second.bias
    %i = train.relu %b
    %scores = train.linear %i, %output.weight, %output.bias
    train.return %scores
  }
  train.func @loss(%x: f32[batch, in], %label: i32[batch]) {
    %scores = train.call @scores(%x)
    %loss = train.softmax_cross_entropy %scores, %label
    train.return %loss
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 1.0e-5, weight_decay = 1.0e-2>
  train.export @scores as "predict" batch 1
}
