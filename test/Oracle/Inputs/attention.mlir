// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @attention {
  train.param @causal.q : tensor<1x2x70x4xf32> = #train.zeros
  train.param @causal.k : tensor<1x2x70x4xf32> = #train.zeros
  train.param @causal.v : tensor<1x2x70x4xf32> = #train.zeros
  train.func @causal() -> tensor<1x2x70x4xf32> {
    %q = train.read @causal.q : tensor<1x2x70x4xf32>
    %k = train.read @causal.k : tensor<1x2x70x4xf32>
    %v = train.read @causal.v : tensor<1x2x70x4xf32>
    %r = train.attention %q, %k, %v causal : tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>
    train.return %r : tensor<1x2x70x4xf32>
  }
  train.export @causal as "causal"
  train.func @causal.loss(%weight: tensor<1x2x70x4xf32>) -> tensor<f32> {
    %q = train.read @causal.q : tensor<1x2x70x4xf32>
    %k = train.read @causal.k : tensor<1x2x70x4xf32>
    %v = train.read @causal.v : tensor<1x2x70x4xf32>
    %r = train.attention %q, %k, %v causal : tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>
    %p = train.mul %r, %weight : tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<1x2x70x4xf32>
    train.return %s : tensor<f32>
  }
  train.step @causal.fit minimize @causal.loss over [@causal.q, @causal.k, @causal.v] with #train.sgd<lr = 1.0>
  train.param @biased.q : tensor<1x2x5x4xf32> = #train.zeros
  train.param @biased.k : tensor<1x2x9x4xf32> = #train.zeros
  train.param @biased.v : tensor<1x2x9x4xf32> = #train.zeros
  train.param @biased.m : tensor<2x5x9xf32> = #train.zeros
  train.func @biased() -> tensor<1x2x5x4xf32> {
    %q = train.read @biased.q : tensor<1x2x5x4xf32>
    %k = train.read @biased.k : tensor<1x2x9x4xf32>
    %v = train.read @biased.v : tensor<1x2x9x4xf32>
    %m = train.read @biased.m : tensor<2x5x9xf32>
    %r = train.attention %q, %k, %v bias %m scale 0.25 : tensor<1x2x5x4xf32>, tensor<1x2x9x4xf32>, tensor<1x2x9x4xf32>, tensor<2x5x9xf32>
    train.return %r : tensor<1x2x5x4xf32>
  }
  train.export @biased as "biased"
  train.func @biased.loss(%weight: tensor<1x2x5x4xf32>) -> tensor<f32> {
    %q = train.read @biased.q : tensor<1x2x5x4xf32>
    %k = train.read @biased.k : tensor<1x2x9x4xf32>
    %v = train.read @biased.v : tensor<1x2x9x4xf32>
    %m = train.read @biased.m : tensor<2x5x9xf32>
    %r = train.attention %q, %k, %v bias %m scale 0.25 : tensor<1x2x5x4xf32>, tensor<1x2x9x4xf32>, tensor<1x2x9x4xf32>, tensor<2x5x9xf32>
    %p = train.mul %r, %weight : tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<1x2x5x4xf32>
    train.return %s : tensor<f32>
  }
  train.step @biased.fit minimize @biased.loss over [@biased.q, @biased.k, @biased.v, @biased.m] with #train.sgd<lr = 1.0>
  train.param @masked.q : tensor<1x2x70x4xf32> = #train.zeros
  train.param @masked.k : tensor<1x2x67x4xf32> = #train.zeros
  train.param @masked.v : tensor<1x2x67x4xf32> = #train.zeros
  train.param @masked.m : tensor<67xf32> = #train.zeros
  train.func @masked() -> tensor<1x2x70x4xf32> {
    %q = train.read @masked.q : tensor<1x2x70x4xf32>
    %k = train.read @masked.k : tensor<1x2x67x4xf32>
    %v = train.read @masked.v : tensor<1x2x67x4xf32>
    %m = train.read @masked.m : tensor<67xf32>
    %r = train.attention %q, %k, %v bias %m : tensor<1x2x70x4xf32>, tensor<1x2x67x4xf32>, tensor<1x2x67x4xf32>, tensor<67xf32>
    train.return %r : tensor<1x2x70x4xf32>
  }
  train.export @masked as "masked"
  train.func @masked.loss(%weight: tensor<1x2x70x4xf32>) -> tensor<f32> {
    %q = train.read @masked.q : tensor<1x2x70x4xf32>
    %k = train.read @masked.k : tensor<1x2x67x4xf32>
    %v = train.read @masked.v : tensor<1x2x67x4xf32>
    %m = train.read @masked.m : tensor<67xf32>
    %r = train.attention %q, %k, %v bias %m : tensor<1x2x70x4xf32>, tensor<1x2x67x4xf32>, tensor<1x2x67x4xf32>, tensor<67xf32>
    %p = train.mul %r, %weight : tensor<1x2x70x4xf32>, tensor<1x2x70x4xf32>
    %s = train.reduce_sum %p over [0, 1, 2, 3] : tensor<1x2x70x4xf32>
    train.return %s : tensor<f32>
  }
  train.step @masked.fit minimize @masked.loss over [@masked.q, @masked.k, @masked.v, @masked.m] with #train.sgd<lr = 1.0>
}
