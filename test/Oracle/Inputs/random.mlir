// Recorded by ops.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @random {
  train.func @uniform(%s: tensor<2xi64>) -> tensor<5x7xf32> {
    %r = train.random_uniform from -1.0 to 2.0 state(%s, %s) key 7 : tensor<5x7xf32>
    train.return %r : tensor<5x7xf32>
  }
  train.export @uniform as "uniform"
  train.func @bernoulli(%s: tensor<2xi64>) -> tensor<5x7xf32> {
    %r = train.random_bernoulli 0.4 state(%s, %s) key -7 : tensor<5x7xf32>
    train.return %r : tensor<5x7xf32>
  }
  train.export @bernoulli as "bernoulli"
  train.func @normal(%s: tensor<2xi64>) -> tensor<5x7xf32> {
    %r = train.random_normal mean 0.5 std 2.0 state(%s, %s) key 1 : tensor<5x7xf32>
    train.return %r : tensor<5x7xf32>
  }
  train.export @normal as "normal"
}
