// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batched and transposed products, three operands, diagonals, sums, products of elements, and dimensions that broadcast.
train.model @check {
  train.param @a : f32[2, 3, 5] = #train.normal<mean = 0.0, std = 1.0>
  train.param @b : f32[2, 5, 4] = #train.normal<mean = 0.0, std = 1.0>
  train.param @c : f32[1, 5, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.param @d : f32[3, 3, 2] = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%weight0: f32[4, 2, 3], %weight1: f32[3], %weight2: f32[2, 3, 3], %weight3: f32[2, 3, 4], %weight4: f32[2, 5, 3]) {
    %a = train.read @a
    %b = train.read @b
    %c = train.read @c
    %d = train.read @d
    %y0 = train.einsum "bij,bjk->kbi" %a, %b
    %y1 = train.einsum "iib,bij,bjk->i" %d, %a, %b
    %y2 = train.einsum "...ij,...jk" %a, %c
    %y3 = train.einsum "bij,bkl->bil" %a, %b
    %y4 = train.einsum "bij,bij->bji" %a, %a
    %y5 = train.einsum "bij,iib->" %a, %d
    %w0 = train.mul %y0, %weight0
    %t0 = train.reduce_sum %w0 over [0, 1, 2]
    %w1 = train.mul %y1, %weight1
    %t1 = train.reduce_sum %w1 over [0]
    %w2 = train.mul %y2, %weight2
    %t2 = train.reduce_sum %w2 over [0, 1, 2]
    %w3 = train.mul %y3, %weight3
    %t3 = train.reduce_sum %w3 over [0, 1, 2]
    %w4 = train.mul %y4, %weight4
    %t4 = train.reduce_sum %w4 over [0, 1, 2]
    %s0 = train.add %t0, %t1
    %s1 = train.add %t2, %t3
    %s2 = train.add %t4, %y5
    %s3 = train.add %s0, %s1
    %total = train.add %s2, %s3
    train.return %total
  }
  train.step @over_all minimize @loss over all with #train.sgd<lr = 0.1>
  train.step @over_a minimize @loss over [@a] with #train.sgd<lr = 0.1>
  train.step @over_others minimize @loss over [@b, @c, @d] with #train.sgd<lr = 0.1>
}
