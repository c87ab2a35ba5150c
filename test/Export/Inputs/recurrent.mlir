// Recurrent layers in the orders of gates of PyTorch and of ONNX, both directions, lengths, states and both orders of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @recurrent(batch = 4, time = 5) {
  train.param @lstm.x : f32[16, 3] = #train.normal<mean = 0.0, std = 0.5>
  train.param @lstm.h : f32[16, 4] = #train.normal<mean = 0.0, std = 0.5>
  train.param @lstm.b : f32[16] = #train.normal<mean = 0.0, std = 0.5>
  train.param @gru.x : f32[4, 12] = #train.normal<mean = 0.0, std = 0.5>
  train.param @gru.h : f32[4, 12] = #train.normal<mean = 0.0, std = 0.5>
  train.param @gru.b : f32[12] = #train.normal<mean = 0.0, std = 0.5>
  train.param @gru.bh : f32[12] = #train.normal<mean = 0.0, std = 0.5>
  train.param @peepholes : f32[12] = #train.normal<mean = 0.0, std = 0.5>
  train.param @rnn.x : f32[4, 4] = #train.normal<mean = 0.0, std = 0.5>
  train.param @rnn.h : f32[4, 4] = #train.normal<mean = 0.0, std = 0.5>
  train.param @project : f32[4, 2] = #train.normal<mean = 0.0, std = 0.5>
  train.param @small.h : f32[2, 16] = #train.normal<mean = 0.0, std = 0.5>
  // Weights of PyTorch's layout, and states from the rows.
  train.func @layers(%x: f32[batch, time, 3]) {
    %wx = train.transpose %lstm.x [1, 0]
    %wh = train.transpose %lstm.h [1, 0]
    %y, %h, %c = train.lstm %x, %wx, %wh, %lstm.b batch_first
    %z, %last = train.gru %y, %gru.x, %gru.h, %gru.b, %gru.bh from %h reset_after reverse batch_first
    %n, %end = train.rnn %z, %rnn.x, %rnn.h batch_first
    %v, %hv, %cv = train.lstm %x, %wx, %wh, %lstm.b from %end, %c peepholes %peepholes reverse batch_first
    train.return %n, %v, %last, %hv, %cv
  }
  // Time first, lengths of 0 and 3, the order of ONNX, and no bias of the state.
  train.func @lengths(%x: f32[batch, time, 3], %n: i32[batch]) {
    %three = train.constant dense<3> : tensor<i32>
    %l = train.mul %n, %three
    %first = train.transpose %x [1, 0, 2]
    %wx = train.transpose %lstm.x [1, 0]
    %wh = train.transpose %lstm.h [1, 0]
    %y, %h, %c = train.lstm %first, %wx, %wh lengths %l gates "iofg" reverse
    %z, %last = train.gru %y, %gru.x, %gru.h, %gru.b lengths %l gates "zrn"
    %u, %end = train.rnn %z, %rnn.x, %rnn.h lengths %l activation relu
    %all = train.transpose %u [1, 0, 2]
    train.return %all, %end, %last, %c
  }
  // ONNX has no projection: several nodes.
  train.func @projected(%x: f32[batch, time, 3]) {
    %wx = train.transpose %lstm.x [1, 0]
    %y, %h, %c = train.lstm %x, %wx, %small.h, %lstm.b project %project batch_first
    train.return %y, %c
  }
  train.export @layers as "layers"
  train.export @lengths as "lengths"
  train.export @projected as "projected"
}
