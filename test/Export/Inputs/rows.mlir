// Rows of the batch in other places than the first dimension, and values that are the same in every row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @rows(batch = 4) {
  train.param @table : f32[5, 8] = #train.normal<mean = 0.0, std = 0.5>
  train.param @class : f32[1, 1, 8] = #train.normal<mean = 0.0, std = 0.5>
  train.param @places : f32[1, 4, 8] = #train.normal<mean = 0.0, std = 0.5>
  train.param @gamma : f32[8] = #train.ones
  train.param @beta : f32[8] = #train.zeros
  train.param @bias : f32[4, 3, 3] = #train.normal<mean = 0.0, std = 0.5>
  train.param @w : f32[8, 8] = #train.xavier_uniform
  train.param @b : f32[8] = #train.zeros
  // PyTorch's nn.MultiheadAttention, batch_first: time comes first around the products, and a single dimension has time and batch.
  train.func @attention(%x: f32[batch, 3, 8]) {
    %first = train.transpose %x [1, 0, 2]
    %q = train.linear %first, %w, %b
    %heads = train.reshape %q to [3, 4 * batch, 2]
    %cut = train.transpose %heads [1, 0, 2]
    %apart = train.reshape %cut to [batch, 4, 3, 2]
    %seen = train.attention %apart, %apart, %apart bias %bias
    %moved = train.transpose %seen [2, 0, 1, 3]
    %flat = train.reshape %moved to [3 * batch, 8]
    %mixed = train.linear %flat, %w, %b
    %wide = train.gelu %mixed
    %back = train.reshape %wide to [3, batch, 8]
    %y = train.transpose %back [1, 0, 2]
    train.return %y
  }
  // A class token before all other tokens.
  train.func @token(%x: f32[batch, 3, 8]) {
    %tokens = train.broadcast_to %class to [batch, 1, 8]
    %all = train.concat %tokens, %x along 1
    %placed = train.add %all, %places
    %q = train.linear %placed, %w, %b
    %weight = train.softmax %q
    %first = train.slice %weight from [0, 0, 0] sizes [batch, 1, 8] strides [1, 1, 1]
    %y = train.reshape %first to [batch, 8]
    train.return %y
  }
  // BERT's default types of tokens and default positions, looked up for every row.
  train.func @types(%x: f32[batch, 3, 8]) {
    %types = train.constant dense<2> : tensor<4x3xi32>
    %type = train.embedding %table at %types
    %line = train.iota along 1 : i32[batch, 3]
    %place = train.gather %table at %line
    %sum = train.add %type, %place
    %all = train.add %x, %sum
    %norm = train.layer_norm %all, %gamma, %beta eps 1.0e-5
    %flat = train.reshape %sum to [3 * batch, 8]
    %same = train.linear %flat, %w, %b
    %rows = train.reshape %norm to [3 * batch, 8]
    %y = train.mul %rows, %same
    %z = train.reshape %y to [batch, 3, 8]
    train.return %z
  }
  // As many heads as rows: the heads' tables are no rows.
  train.func @heads(%x: f32[batch, 3, 8]) {
    %q = train.reshape %x to [batch, 3, 4, 2]
    %h = train.transpose %q [0, 2, 1, 3]
    %half = train.constant dense<0.5> : tensor<4x3x2xf32>
    %s = train.mul %h, %half
    %y = train.attention %s, %s, %s bias %bias
    train.return %y
  }
  // Time first.
  train.func @time(%x: f32[3, batch, 8], %mask: f32[3, batch]) {
    %flat = train.reshape %x to [3 * batch, 8]
    %q = train.linear %flat, %w, %b
    %again = train.reshape %q to [3, batch, 8]
    %column = train.reshape %mask to [3, batch, 1]
    %kept = train.mul %again, %column
    %sum = train.reduce_sum %kept over [0]
    train.return %sum
  }
  // Rows of a dimension of time and batch, added up over time: in this order rows are not separate.
  train.func @mixed(%x: f32[batch, 3, 8]) {
    %first = train.transpose %x [1, 0, 2]
    %flat = train.reshape %first to [3 * batch, 8]
    %rows = train.reshape %flat to [batch, 3, 8]
    %sum = train.reduce_sum %rows over [1]
    train.return %sum
  }
  train.export @attention as "attention"
  train.export @token as "token"
  train.export @types as "types"
  train.export @heads as "heads"
  train.export @time as "time"
  train.export @mixed as "mixed"
}
