// Rows of a table: will this visit end in a click? Numbers as they are, categories by vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @table(batch = 64, numbers = 3, pages = 12, devices = 3, width = 16) {
  train.param @page_vectors : f32[pages, 4] = #train.normal<std = 0.1>
  train.param @device_vectors : f32[devices, 2] = #train.normal<std = 0.1>
  train.param @w1 : f32[numbers + 6, width] = #train.kaiming_uniform
  train.param @b1 : f32[width] = #train.zeros
  train.param @w2 : f32[width, 1] = #train.xavier_uniform
  train.param @b2 : f32[1] = #train.zeros
  train.func @score(%number: f32[batch, numbers], %page: i32[batch], %device: i32[batch]) {
    %p = train.embedding %page_vectors at %page
    %d = train.embedding %device_vectors at %device
    %x = train.concat %number, %p, %d along 1
    %h = train.linear %x, %w1, %b1
    %r = train.relu %h
    %s = train.linear %r, %w2, %b2
    train.return %s
  }
  train.func @loss(%number: f32[batch, numbers], %page: i32[batch], %device: i32[batch], %clicked: f32[batch, 1]) {
    %s = train.call @score(%number, %page, %device)
    %l = train.bce_with_logits %s, %clicked
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 5e-3, weight_decay = 1e-2>
  train.export @score as "predict"
}
