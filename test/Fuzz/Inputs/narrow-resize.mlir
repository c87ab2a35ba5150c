train.model @m {
  train.param @w : f32[5, 3, 2] = #train.ones
  train.func @loss(%x: f32[7, 7, 2], %y: f32[5, 3, 2]) {
    %narrow = train.cast %x to bf16
    %linear = train.resize linear %narrow to [5, 3, 2]
    %cubic = train.resize cubic %narrow to [5, 3, 2]
    %a = train.cast %linear to f32
    %b = train.cast %cubic to f32
    %both = train.sub %a, %b
    %p = train.mul %both, %w
    %l = train.l1 %p, %y
    train.return %l
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1>
}
