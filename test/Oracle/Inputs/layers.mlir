// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @layers {
  train.param @layer_norm.x : tensor<2x3x7xf32> = #train.zeros
  train.param @layer_norm.g : tensor<7xf32> = #train.zeros
  train.param @layer_norm.b : tensor<7xf32> = #train.zeros
  train.func @layer_norm() -> tensor<2x3x7xf32> {
    %x = train.read @layer_norm.x : tensor<2x3x7xf32>
    %g = train.read @layer_norm.g : tensor<7xf32>
    %b = train.read @layer_norm.b : tensor<7xf32>
    %r = train.layer_norm %x, %g, %b eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>, tensor<7xf32>
    train.return %r : tensor<2x3x7xf32>
  }
  train.export @layer_norm as "layer_norm"
  train.func @layer_norm.loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %x = train.read @layer_norm.x : tensor<2x3x7xf32>
    %g = train.read @layer_norm.g : tensor<7xf32>
    %b = train.read @layer_norm.b : tensor<7xf32>
    %r = train.layer_norm %x, %g, %b eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>, tensor<7xf32>
    %p = train.mul %r, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @layer_norm.fit minimize @layer_norm.loss over [@layer_norm.x, @layer_norm.g, @layer_norm.b] with #train.sgd<lr = 1.0>
  train.param @rms_norm.x : tensor<2x3x7xf32> = #train.zeros
  train.param @rms_norm.g : tensor<7xf32> = #train.zeros
  train.func @rms_norm() -> tensor<2x3x7xf32> {
    %x = train.read @rms_norm.x : tensor<2x3x7xf32>
    %g = train.read @rms_norm.g : tensor<7xf32>
    %r = train.rms_norm %x, %g eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>
    train.return %r : tensor<2x3x7xf32>
  }
  train.export @rms_norm as "rms_norm"
  train.func @rms_norm.loss(%weight: tensor<2x3x7xf32>) -> tensor<f32> {
    %x = train.read @rms_norm.x : tensor<2x3x7xf32>
    %g = train.read @rms_norm.g : tensor<7xf32>
    %r = train.rms_norm %x, %g eps 1.0e-3 : tensor<2x3x7xf32>, tensor<7xf32>
    %p = train.mul %r, %weight : tensor<2x3x7xf32>, tensor<2x3x7xf32>
    %s = train.reduce_sum %p over [0, 1, 2] : tensor<2x3x7xf32>
    train.return %s : tensor<f32>
  }
  train.step @rms_norm.fit minimize @rms_norm.loss over [@rms_norm.x, @rms_norm.g] with #train.sgd<lr = 1.0>
  train.param @max_pool.x : tensor<2x7x6x3xf32> = #train.zeros
  train.func @max_pool() -> tensor<2x4x7x3xf32> {
    %x = train.read @max_pool.x : tensor<2x7x6x3xf32>
    %r, %where = train.max_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    train.return %r : tensor<2x4x7x3xf32>
  }
  train.export @max_pool as "max_pool"
  train.func @max_pool.loss(%weight: tensor<2x4x7x3xf32>) -> tensor<f32> {
    %x = train.read @max_pool.x : tensor<2x7x6x3xf32>
    %r, %where = train.max_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    %p = train.mul %r, %weight : tensor<2x4x7x3xf32>, tensor<2x4x7x3xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<2x4x7x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @max_pool.fit minimize @max_pool.loss over [@max_pool.x] with #train.sgd<lr = 1.0>
  train.param @max_pool_ties.x : tensor<2x7x6x3xf32> = #train.zeros
  train.func @max_pool_ties() -> tensor<2x4x7x3xf32> {
    %x = train.read @max_pool_ties.x : tensor<2x7x6x3xf32>
    %r, %where = train.max_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    train.return %r : tensor<2x4x7x3xf32>
  }
  train.export @max_pool_ties as "max_pool_ties"
  train.func @max_pool_ties.loss(%weight: tensor<2x4x7x3xf32>) -> tensor<f32> {
    %x = train.read @max_pool_ties.x : tensor<2x7x6x3xf32>
    %r, %where = train.max_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    %p = train.mul %r, %weight : tensor<2x4x7x3xf32>, tensor<2x4x7x3xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<2x4x7x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @max_pool_ties.fit minimize @max_pool_ties.loss over [@max_pool_ties.x] with #train.sgd<lr = 1.0>
  train.param @avg_pool.x : tensor<2x7x6x3xf32> = #train.zeros
  train.func @avg_pool() -> tensor<2x4x7x3xf32> {
    %x = train.read @avg_pool.x : tensor<2x7x6x3xf32>
    %r = train.avg_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    train.return %r : tensor<2x4x7x3xf32>
  }
  train.export @avg_pool as "avg_pool"
  train.func @avg_pool.loss(%weight: tensor<2x4x7x3xf32>) -> tensor<f32> {
    %x = train.read @avg_pool.x : tensor<2x7x6x3xf32>
    %r = train.avg_pool %x window [3, 2] strides [2, 1] padding [1, 1, 1, 1] : tensor<2x7x6x3xf32>
    %p = train.mul %r, %weight : tensor<2x4x7x3xf32>, tensor<2x4x7x3xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<2x4x7x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @avg_pool.fit minimize @avg_pool.loss over [@avg_pool.x] with #train.sgd<lr = 1.0>
  train.param @global_avg_pool.x : tensor<2x7x6x3xf32> = #train.zeros
  train.func @global_avg_pool() -> tensor<2x3xf32> {
    %x = train.read @global_avg_pool.x : tensor<2x7x6x3xf32>
    %r = train.global_avg_pool %x : tensor<2x7x6x3xf32>
    train.return %r : tensor<2x3xf32>
  }
  train.export @global_avg_pool as "global_avg_pool"
  train.func @global_avg_pool.loss(%weight: tensor<2x3xf32>) -> tensor<f32> {
    %x = train.read @global_avg_pool.x : tensor<2x7x6x3xf32>
    %r = train.global_avg_pool %x : tensor<2x7x6x3xf32>
    %p = train.mul %r, %weight : tensor<2x3xf32>, tensor<2x3xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<2x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @global_avg_pool.fit minimize @global_avg_pool.loss over [@global_avg_pool.x] with #train.sgd<lr = 1.0>
  train.buffer @batch_norm.mean : tensor<3xf32> = #train.zeros
  train.buffer @batch_norm.variance : tensor<3xf32> = #train.zeros
  train.param @batch_norm.x : tensor<5x2x3x3xf32> = #train.zeros
  train.param @batch_norm.g : tensor<3xf32> = #train.zeros
  train.param @batch_norm.b : tensor<3xf32> = #train.zeros
  train.func @batch_norm() -> tensor<5x2x3x3xf32> {
    %x = train.read @batch_norm.x : tensor<5x2x3x3xf32>
    %g = train.read @batch_norm.g : tensor<3xf32>
    %b = train.read @batch_norm.b : tensor<3xf32>
    %r = train.batch_norm %x, %g, %b running @batch_norm.mean, @batch_norm.variance momentum 0.2 eps 1.0e-3 : tensor<5x2x3x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.return %r : tensor<5x2x3x3xf32>
  }
  train.export @batch_norm as "batch_norm"
  train.func @batch_norm.loss(%weight: tensor<5x2x3x3xf32>) -> tensor<f32> {
    %x = train.read @batch_norm.x : tensor<5x2x3x3xf32>
    %g = train.read @batch_norm.g : tensor<3xf32>
    %b = train.read @batch_norm.b : tensor<3xf32>
    %r = train.batch_norm %x, %g, %b running @batch_norm.mean, @batch_norm.variance momentum 0.2 eps 1.0e-3 : tensor<5x2x3x3xf32>, tensor<3xf32>, tensor<3xf32>
    %p = train.mul %r, %weight : tensor<5x2x3x3xf32>, tensor<5x2x3x3xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<5x2x3x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @batch_norm.fit minimize @batch_norm.loss over [@batch_norm.x, @batch_norm.g, @batch_norm.b] with #train.sgd<lr = 1.0>
  train.buffer @batch_norm_rows.mean : tensor<3xf32> = #train.zeros
  train.buffer @batch_norm_rows.variance : tensor<3xf32> = #train.zeros
  train.param @batch_norm_rows.x : tensor<7x3xf32> = #train.zeros
  train.param @batch_norm_rows.g : tensor<3xf32> = #train.zeros
  train.param @batch_norm_rows.b : tensor<3xf32> = #train.zeros
  train.func @batch_norm_rows() -> tensor<7x3xf32> {
    %x = train.read @batch_norm_rows.x : tensor<7x3xf32>
    %g = train.read @batch_norm_rows.g : tensor<3xf32>
    %b = train.read @batch_norm_rows.b : tensor<3xf32>
    %r = train.batch_norm %x, %g, %b running @batch_norm_rows.mean, @batch_norm_rows.variance momentum 0.2 eps 1.0e-3 : tensor<7x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.return %r : tensor<7x3xf32>
  }
  train.export @batch_norm_rows as "batch_norm_rows"
  train.func @batch_norm_rows.loss(%weight: tensor<7x3xf32>) -> tensor<f32> {
    %x = train.read @batch_norm_rows.x : tensor<7x3xf32>
    %g = train.read @batch_norm_rows.g : tensor<3xf32>
    %b = train.read @batch_norm_rows.b : tensor<3xf32>
    %r = train.batch_norm %x, %g, %b running @batch_norm_rows.mean, @batch_norm_rows.variance momentum 0.2 eps 1.0e-3 : tensor<7x3xf32>, tensor<3xf32>, tensor<3xf32>
    %p = train.mul %r, %weight : tensor<7x3xf32>, tensor<7x3xf32>
    %s = train.reduce_sum %p over [0, 1] : tensor<7x3xf32>
    train.return %s : tensor<f32>
  }
  train.step @batch_norm_rows.fit minimize @batch_norm_rows.loss over [@batch_norm_rows.x, @batch_norm_rows.g, @batch_norm_rows.b] with #train.sgd<lr = 1.0>
}
