// What would a user give an item? A product of two short vectors, and what either gives or gets on the whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @factorization(batch = 64, users = 50, items = 40, factors = 4) {
  train.param @user_factors : f32[users, factors] = #train.normal<std = 0.1>
  train.param @user_bias : f32[users, 1] = #train.zeros
  train.param @item_factors : f32[items, factors] = #train.normal<std = 0.1>
  train.param @item_bias : f32[items, 1] = #train.zeros
  train.param @mean : f32[1] = #train.zeros
  train.func @rating(%user: i32[batch], %item: i32[batch]) {
    %u = train.embedding %user_factors at %user
    %i = train.embedding %item_factors at %item
    %ui = train.mul %u, %i
    %sum = train.reduce_sum %ui over [1]
    %product = train.reshape %sum to [batch, 1]
    %ub = train.embedding %user_bias at %user
    %ib = train.embedding %item_bias at %item
    %b = train.add %ub, %ib
    %c = train.add %b, %mean
    %r = train.add %product, %c
    train.return %r
  }
  train.func @loss(%user: i32[batch], %item: i32[batch], %stars: f32[batch, 1]) {
    %r = train.call @rating(%user, %item)
    %l = train.mse %r, %stars
    train.return %l
  }
  // Adam of every row that a batch names, and of no other.
  train.step @fit minimize @loss over all with #train.adam<lr = 2e-2, lazy = true>
    groups [#train.group<params = ["mean"], optimizer = #train.adam<lr = 2e-2>>]
  train.export @rating as "predict"
}
