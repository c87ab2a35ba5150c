train.model @m(batch = 2) {
  train.param @"w\00x" : f32[1] = #train.zeros
  train.func @loss(%x: f32[batch, 1]) {
    %w = train.read @"w\00x"
    %y = train.mul %x, %w
    %l = train.reduce_mean %y over [0, 1]
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
