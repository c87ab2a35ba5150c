// The rest of the table. Rows meet in a mean: the number of rows is fixed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @odd(batch = 4) {
  train.param @w : f32[6, 6] = #train.xavier_uniform
  train.func @f(%x: f32[batch, 6], %i: i32[batch]) {
    %mean = train.reduce_mean %x over [0]
    %c = train.sub %x, %mean
    %h = train.one_hot %i to f32[batch, 6]
    %d = train.matmul %c, %w transpose_rhs
    %s = train.silu %d
    %g = train.gelu %s
    %l = train.log1p %h
    %a = train.add %g, %l
    %p = train.pad %a value 0.5 low [0, 1] high [0, 1] interior [0, 0]
    %t = train.transpose %p [1, 0]
    %m = train.matmul %t, %t transpose_lhs
    %k = train.clamp %m from -20.0 to 6.5
    %j = train.iota along 1 : f32[batch, batch]
    %q = train.compare ne %j, %k
    %z = train.leaky_relu %k slope 0.1
    %v = train.select %q, %z, %j
    %r = train.softmax %v
    %u = train.concat %r, %v along 1
    %o = train.logsumexp %u over [1]
    %sq = train.square %o
    %rs = train.rsqrt %sq
    train.return %rs
  }
  train.export @f as "predict"
}
