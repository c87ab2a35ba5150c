// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @losses {
  train.param @cross_entropy_mean.x : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_mean(%l: tensor<6xi32>) -> tensor<f32> {
    %x = train.read @cross_entropy_mean.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce mean ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    train.return %r : tensor<f32>
  }
  train.export @cross_entropy_mean as "cross_entropy_mean"
  train.func @cross_entropy_mean.loss(%l: tensor<6xi32>, %weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @cross_entropy_mean.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce mean ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @cross_entropy_mean.fit minimize @cross_entropy_mean.loss over [@cross_entropy_mean.x] with #train.sgd<lr = 1.0>
  train.param @cross_entropy_dense_mean.x : tensor<6x5xf32> = #train.zeros
  train.param @cross_entropy_dense_mean.t : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_dense_mean() -> tensor<f32> {
    %x = train.read @cross_entropy_dense_mean.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_mean.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce mean smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @cross_entropy_dense_mean as "cross_entropy_dense_mean"
  train.func @cross_entropy_dense_mean.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @cross_entropy_dense_mean.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_mean.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce mean smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @cross_entropy_dense_mean.fit minimize @cross_entropy_dense_mean.loss over [@cross_entropy_dense_mean.x, @cross_entropy_dense_mean.t] with #train.sgd<lr = 1.0>
  train.param @mse_mean.x : tensor<6x5xf32> = #train.zeros
  train.param @mse_mean.t : tensor<6x5xf32> = #train.zeros
  train.func @mse_mean() -> tensor<f32> {
    %x = train.read @mse_mean.x : tensor<6x5xf32>
    %t = train.read @mse_mean.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @mse_mean as "mse_mean"
  train.func @mse_mean.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @mse_mean.x : tensor<6x5xf32>
    %t = train.read @mse_mean.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @mse_mean.fit minimize @mse_mean.loss over [@mse_mean.x, @mse_mean.t] with #train.sgd<lr = 1.0>
  train.param @l1_mean.x : tensor<6x5xf32> = #train.zeros
  train.param @l1_mean.t : tensor<6x5xf32> = #train.zeros
  train.func @l1_mean() -> tensor<f32> {
    %x = train.read @l1_mean.x : tensor<6x5xf32>
    %t = train.read @l1_mean.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @l1_mean as "l1_mean"
  train.func @l1_mean.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @l1_mean.x : tensor<6x5xf32>
    %t = train.read @l1_mean.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @l1_mean.fit minimize @l1_mean.loss over [@l1_mean.x, @l1_mean.t] with #train.sgd<lr = 1.0>
  train.param @bce_with_logits_mean.x : tensor<6x5xf32> = #train.zeros
  train.param @bce_with_logits_mean.t : tensor<6x5xf32> = #train.zeros
  train.func @bce_with_logits_mean() -> tensor<f32> {
    %x = train.read @bce_with_logits_mean.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_mean.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @bce_with_logits_mean as "bce_with_logits_mean"
  train.func @bce_with_logits_mean.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @bce_with_logits_mean.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_mean.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @bce_with_logits_mean.fit minimize @bce_with_logits_mean.loss over [@bce_with_logits_mean.x, @bce_with_logits_mean.t] with #train.sgd<lr = 1.0>
  train.param @smooth_l1_mean.x : tensor<6x5xf32> = #train.zeros
  train.param @smooth_l1_mean.t : tensor<6x5xf32> = #train.zeros
  train.func @smooth_l1_mean() -> tensor<f32> {
    %x = train.read @smooth_l1_mean.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_mean.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @smooth_l1_mean as "smooth_l1_mean"
  train.func @smooth_l1_mean.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @smooth_l1_mean.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_mean.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce mean : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @smooth_l1_mean.fit minimize @smooth_l1_mean.loss over [@smooth_l1_mean.x, @smooth_l1_mean.t] with #train.sgd<lr = 1.0>
  train.param @cross_entropy_sum.x : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_sum(%l: tensor<6xi32>) -> tensor<f32> {
    %x = train.read @cross_entropy_sum.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce sum ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    train.return %r : tensor<f32>
  }
  train.export @cross_entropy_sum as "cross_entropy_sum"
  train.func @cross_entropy_sum.loss(%l: tensor<6xi32>, %weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @cross_entropy_sum.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce sum ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @cross_entropy_sum.fit minimize @cross_entropy_sum.loss over [@cross_entropy_sum.x] with #train.sgd<lr = 1.0>
  train.param @cross_entropy_dense_sum.x : tensor<6x5xf32> = #train.zeros
  train.param @cross_entropy_dense_sum.t : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_dense_sum() -> tensor<f32> {
    %x = train.read @cross_entropy_dense_sum.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_sum.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce sum smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @cross_entropy_dense_sum as "cross_entropy_dense_sum"
  train.func @cross_entropy_dense_sum.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @cross_entropy_dense_sum.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_sum.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce sum smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @cross_entropy_dense_sum.fit minimize @cross_entropy_dense_sum.loss over [@cross_entropy_dense_sum.x, @cross_entropy_dense_sum.t] with #train.sgd<lr = 1.0>
  train.param @mse_sum.x : tensor<6x5xf32> = #train.zeros
  train.param @mse_sum.t : tensor<6x5xf32> = #train.zeros
  train.func @mse_sum() -> tensor<f32> {
    %x = train.read @mse_sum.x : tensor<6x5xf32>
    %t = train.read @mse_sum.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @mse_sum as "mse_sum"
  train.func @mse_sum.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @mse_sum.x : tensor<6x5xf32>
    %t = train.read @mse_sum.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @mse_sum.fit minimize @mse_sum.loss over [@mse_sum.x, @mse_sum.t] with #train.sgd<lr = 1.0>
  train.param @l1_sum.x : tensor<6x5xf32> = #train.zeros
  train.param @l1_sum.t : tensor<6x5xf32> = #train.zeros
  train.func @l1_sum() -> tensor<f32> {
    %x = train.read @l1_sum.x : tensor<6x5xf32>
    %t = train.read @l1_sum.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @l1_sum as "l1_sum"
  train.func @l1_sum.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @l1_sum.x : tensor<6x5xf32>
    %t = train.read @l1_sum.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @l1_sum.fit minimize @l1_sum.loss over [@l1_sum.x, @l1_sum.t] with #train.sgd<lr = 1.0>
  train.param @bce_with_logits_sum.x : tensor<6x5xf32> = #train.zeros
  train.param @bce_with_logits_sum.t : tensor<6x5xf32> = #train.zeros
  train.func @bce_with_logits_sum() -> tensor<f32> {
    %x = train.read @bce_with_logits_sum.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_sum.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @bce_with_logits_sum as "bce_with_logits_sum"
  train.func @bce_with_logits_sum.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @bce_with_logits_sum.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_sum.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @bce_with_logits_sum.fit minimize @bce_with_logits_sum.loss over [@bce_with_logits_sum.x, @bce_with_logits_sum.t] with #train.sgd<lr = 1.0>
  train.param @smooth_l1_sum.x : tensor<6x5xf32> = #train.zeros
  train.param @smooth_l1_sum.t : tensor<6x5xf32> = #train.zeros
  train.func @smooth_l1_sum() -> tensor<f32> {
    %x = train.read @smooth_l1_sum.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_sum.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<f32>
  }
  train.export @smooth_l1_sum as "smooth_l1_sum"
  train.func @smooth_l1_sum.loss(%weight: tensor<f32>) -> tensor<f32> {
    %x = train.read @smooth_l1_sum.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_sum.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce sum : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<f32>, tensor<f32>
    train.return %p : tensor<f32>
  }
  train.step @smooth_l1_sum.fit minimize @smooth_l1_sum.loss over [@smooth_l1_sum.x, @smooth_l1_sum.t] with #train.sgd<lr = 1.0>
  train.param @cross_entropy_none.x : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_none(%l: tensor<6xi32>) -> tensor<6xf32> {
    %x = train.read @cross_entropy_none.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce none ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    train.return %r : tensor<6xf32>
  }
  train.export @cross_entropy_none as "cross_entropy_none"
  train.func @cross_entropy_none.loss(%l: tensor<6xi32>, %weight: tensor<6xf32>) -> tensor<f32> {
    %x = train.read @cross_entropy_none.x : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %l reduce none ignore 2 smoothing 0.1 : tensor<6x5xf32>, tensor<6xi32>
    %p = train.mul %r, %weight : tensor<6xf32>, tensor<6xf32>
    %s = train.reduce_sum %p over [0] : tensor<6xf32>
    train.return %s : tensor<f32>
  }
  train.step @cross_entropy_none.fit minimize @cross_entropy_none.loss over [@cross_entropy_none.x] with #train.sgd<lr = 1.0>
  train.param @cross_entropy_dense_none.x : tensor<6x5xf32> = #train.zeros
  train.param @cross_entropy_dense_none.t : tensor<6x5xf32> = #train.zeros
  train.func @cross_entropy_dense_none() -> tensor<6xf32> {
    %x = train.read @cross_entropy_dense_none.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_none.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce none smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<6xf32>
  }
  train.export @cross_entropy_dense_none as "cross_entropy_dense_none"
  train.func @cross_entropy_dense_none.loss(%weight: tensor<6xf32>) -> tensor<f32> {
    %x = train.read @cross_entropy_dense_none.x : tensor<6x5xf32>
    %t = train.read @cross_entropy_dense_none.t : tensor<6x5xf32>
    %r = train.softmax_cross_entropy %x, %t reduce none smoothing 0.2 : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<6xf32>, tensor<6xf32>
    %s = train.reduce_sum %p over [0] : tensor<6xf32>
    train.return %s : tensor<f32>
  }
  train.step @cross_entropy_dense_none.fit minimize @cross_entropy_dense_none.loss over [@cross_entropy_dense_none.x, @cross_entropy_dense_none.t] with #train.sgd<lr = 1.0>
  train.param @mse_none.x : tensor<6x5xf32> = #train.zeros
  train.param @mse_none.t : tensor<6x5xf32> = #train.zeros
  train.func @mse_none() -> tensor<6x5xf32> {
    %x = train.read @mse_none.x : tensor<6x5xf32>
    %t = train.read @mse_none.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<6x5xf32>
  }
  train.export @mse_none as "mse_none"
  train.func @mse_none.loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @mse_none.x : tensor<6x5xf32>
    %t = train.read @mse_none.t : tensor<6x5xf32>
    %r = train.mse %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<6x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @mse_none.fit minimize @mse_none.loss over [@mse_none.x, @mse_none.t] with #train.sgd<lr = 1.0>
  train.param @l1_none.x : tensor<6x5xf32> = #train.zeros
  train.param @l1_none.t : tensor<6x5xf32> = #train.zeros
  train.func @l1_none() -> tensor<6x5xf32> {
    %x = train.read @l1_none.x : tensor<6x5xf32>
    %t = train.read @l1_none.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<6x5xf32>
  }
  train.export @l1_none as "l1_none"
  train.func @l1_none.loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @l1_none.x : tensor<6x5xf32>
    %t = train.read @l1_none.t : tensor<6x5xf32>
    %r = train.l1 %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<6x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @l1_none.fit minimize @l1_none.loss over [@l1_none.x, @l1_none.t] with #train.sgd<lr = 1.0>
  train.param @bce_with_logits_none.x : tensor<6x5xf32> = #train.zeros
  train.param @bce_with_logits_none.t : tensor<6x5xf32> = #train.zeros
  train.func @bce_with_logits_none() -> tensor<6x5xf32> {
    %x = train.read @bce_with_logits_none.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_none.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<6x5xf32>
  }
  train.export @bce_with_logits_none as "bce_with_logits_none"
  train.func @bce_with_logits_none.loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @bce_with_logits_none.x : tensor<6x5xf32>
    %t = train.read @bce_with_logits_none.t : tensor<6x5xf32>
    %r = train.bce_with_logits %x, %t reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<6x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @bce_with_logits_none.fit minimize @bce_with_logits_none.loss over [@bce_with_logits_none.x, @bce_with_logits_none.t] with #train.sgd<lr = 1.0>
  train.param @smooth_l1_none.x : tensor<6x5xf32> = #train.zeros
  train.param @smooth_l1_none.t : tensor<6x5xf32> = #train.zeros
  train.func @smooth_l1_none() -> tensor<6x5xf32> {
    %x = train.read @smooth_l1_none.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_none.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    train.return %r : tensor<6x5xf32>
  }
  train.export @smooth_l1_none as "smooth_l1_none"
  train.func @smooth_l1_none.loss(%weight: tensor<6x5xf32>) -> tensor<f32> {
    %x = train.read @smooth_l1_none.x : tensor<6x5xf32>
    %t = train.read @smooth_l1_none.t : tensor<6x5xf32>
    %r = train.smooth_l1 %x, %t beta 0.7 reduce none : tensor<6x5xf32>, tensor<6x5xf32>
    %p = train.mul %r, %weight : tensor<6x5xf32>, tensor<6x5xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<6x5xf32>
    train.return %s : tensor<f32>
  }
  train.step @smooth_l1_none.fit minimize @smooth_l1_none.loss over [@smooth_l1_none.x, @smooth_l1_none.t] with #train.sgd<lr = 1.0>
}
