train.model @m {
  train.param @w : tensor<3xf32> = #train.normal<std = 0.5>
  train.buffer @b : tensor<11xf32> = #train.zeros
  train.func @loss(%x: tensor<11x3xf32>, %t: tensor<11xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %1 = train.einsum "ab,b->a" %x, %w : tensor<11x3xf32>, tensor<3xf32>
    %2 = train.bce_with_logits %1, %t : tensor<11xf32>, tensor<11xf32>
    %3 = train.grad %2 wrt %1 : tensor<f32>, tensor<11xf32>
    %4 = train.mul %3, %t : tensor<11xf32>, tensor<11xf32>
    %5 = train.reduce_mean %4 over [0] : tensor<11xf32>
    %6 = train.add %2, %5 : tensor<f32>, tensor<f32>
    train.return %6 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
}
