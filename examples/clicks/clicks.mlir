// Will this user click on this item? Tables of users and items, the items that the user visited before, and a small network on top.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @clicks {
  train.param @users : tensor<2000x16xf32> = #train.normal<std = 0.1>
  train.param @items : tensor<1000x16xf32> = #train.normal<std = 0.1>
  train.param @w0 : tensor<80x32xf32> = #train.kaiming_uniform
  train.param @b0 : tensor<32xf32>    = #train.zeros
  train.param @w1 : tensor<32x1xf32>  = #train.kaiming_uniform
  train.param @b1 : tensor<1xf32>     = #train.zeros

  // Item 0 fills up histories that are shorter than 6: it counts as nothing.
  train.func @score(%user: tensor<128xi32>, %history: tensor<128x6xi32>, %item: tensor<128xi32>) -> tensor<128x1xf32> {
    %users = train.read @users : tensor<2000x16xf32>
    %items = train.read @items : tensor<1000x16xf32>
    %w0 = train.read @w0 : tensor<80x32xf32>
    %b0 = train.read @b0 : tensor<32xf32>
    %w1 = train.read @w1 : tensor<32x1xf32>
    %b1 = train.read @b1 : tensor<1xf32>
    %u = train.embedding %users at %user : tensor<2000x16xf32>, tensor<128xi32>
    %i = train.embedding %items at %item : tensor<1000x16xf32>, tensor<128xi32>
    %visited = train.embedding %items at %history padding 0 : tensor<1000x16xf32>, tensor<128x6xi32>
    %h = train.reduce_sum %visited over [1] : tensor<128x6x16xf32>
    // Whether a user and an item go together is a question of products.
    %ui = train.mul %u, %i : tensor<128x16xf32>, tensor<128x16xf32>
    %hi = train.mul %h, %i : tensor<128x16xf32>, tensor<128x16xf32>
    %x = train.concat %u, %h, %i, %ui, %hi along 1
        : tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>, tensor<128x16xf32>
    %0 = train.linear %x, %w0, %b0 : tensor<128x80xf32>, tensor<80x32xf32>, tensor<32xf32>
    %1 = train.relu %0 : tensor<128x32xf32>
    %2 = train.linear %1, %w1, %b1 : tensor<128x32xf32>, tensor<32x1xf32>, tensor<1xf32>
    train.return %2 : tensor<128x1xf32>
  }
  train.func @loss(%user: tensor<128xi32>, %history: tensor<128x6xi32>, %item: tensor<128xi32>, %clicked: tensor<128x1xf32>) -> tensor<f32> {
    %score = train.call @score(%user, %history, %item) : (tensor<128xi32>, tensor<128x6xi32>, tensor<128xi32>) -> tensor<128x1xf32>
    %loss = train.bce_with_logits %score, %clicked : tensor<128x1xf32>, tensor<128x1xf32>
    train.return %loss : tensor<f32>
  }
  // A step touches the rows of the tables that its batch names, and no others.
  train.step @fit minimize @loss over [@users, @items, @w0, @b0, @w1, @b1] with #train.adam<lr = 0.01, lazy = true>
  train.export @score as "predict"
}
