// Per kind of function the value f, the gradient, and the gradient of <v, gradient>: rows of the second derivative.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @kinds(batch = 3) {
  train.param @table : f32[5, 6] = #train.normal<mean = 0.0, std = 0.7> {frozen}
  train.param @gamma : f32[6] = #train.uniform<low = 0.5, high = 1.5> {frozen}
  train.param @beta : f32[6] = #train.normal<mean = 0.0, std = 0.7> {frozen}
  train.param @filter : f32[2, 3, 3, 1] = #train.normal<mean = 0.0, std = 0.7> {frozen}
  train.param @down : f32[6, 1] = #train.normal<mean = 0.0, std = 0.7> {frozen}
  train.func @smooth(%x: f32[batch, 5], %v: f32[batch, 5]) {
    %a = train.linear %x, %table
    %b = train.tanh %a
    %c = train.silu %a
    %d = train.mul %b, %c
    %e = train.linear %d, %down
    %f = train.reduce_sum %e over [0, 1]
    %g = train.grad %f wrt %x
    %h = train.mul %g, %v
    %i = train.reduce_sum %h over [0, 1]
    %j = train.grad %i wrt %x
    train.return %f, %g, %j
  }
  train.func @normal(%x: f32[batch, 6], %v: f32[batch, 6]) {
    %a = train.layer_norm %x, %gamma, %beta eps 1.0e-5
    %b = train.softmax %a
    %c = train.square %b
    %f = train.reduce_mean %c over [0, 1]
    %g = train.grad %f wrt %x
    %h = train.mul %g, %v
    %i = train.reduce_sum %h over [0, 1]
    %j = train.grad %i wrt %x
    train.return %f, %g, %j
  }
  train.func @image(%x: f32[batch, 4, 4, 1], %v: f32[batch, 4, 4, 1]) {
    %a = train.conv2d %x, %filter strides [1, 1] padding [1, 1, 1, 1]
    %b = train.gelu %a
    %p, %where = train.max_pool %b window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
    %c = train.square %p
    %f = train.reduce_sum %c over [0, 1, 2, 3]
    %g = train.grad %f wrt %x
    %h = train.mul %g, %v
    %i = train.reduce_sum %h over [0, 1, 2, 3]
    %j = train.grad %i wrt %x
    train.return %f, %g, %j
  }
  train.func @heads(%x: f32[batch, 4, 6], %v: f32[batch, 4, 6]) {
    %a = train.attention %x, %x, %x causal
    %b = train.square %a
    %f = train.reduce_sum %b over [0, 1, 2]
    %g = train.grad %f wrt %x
    %h = train.mul %g, %v
    %i = train.reduce_sum %h over [0, 1, 2]
    %j = train.grad %i wrt %x
    train.return %f, %g, %j
  }
  train.func @classes(%x: f32[batch, 6], %v: f32[batch, 6]) {
    %label = train.constant dense<[4, 0, 2]> : tensor<3xi32>
    %f = train.softmax_cross_entropy %x, %label
    %g = train.grad %f wrt %x
    %h = train.mul %g, %v
    %i = train.reduce_sum %h over [0, 1]
    %j = train.grad %i wrt %x
    train.return %f, %g, %j
  }
  train.export @smooth as "smooth"
  train.export @normal as "normal"
  train.export @image as "image"
  train.export @heads as "heads"
  train.export @classes as "classes"
}
