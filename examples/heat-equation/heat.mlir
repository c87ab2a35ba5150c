// The heat equation u_t = diffusivity u_xx on [0, 1], 0 at both ends and sin(pi x) at the time 0, solved by a network (Raissi et al. 2019).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @heat(batch = 256, width = 32) {
  train.model @layer(in = width, out = width) {
    train.param @weight : f32[in, out] = #train.xavier_uniform
    train.param @bias : f32[out] = #train.zeros
    train.func @apply(%x: f32[batch, in]) {
      %y = train.linear %x, %weight, %bias
      train.return %y
    }
  }
  train.use @layer as @first (in = 2)
  train.use @layer as @second
  train.use @layer as @last (out = 1)
  // u = sin(pi x) + t x (1 - x) network(x, t) has the right values at both ends and at the time 0, whatever the network is.
  train.func @temperature(%x: f32[batch, 1], %t: f32[batch, 1]) {
    %one = train.constant dense<1.0> : tensor<f32>
    %pi = train.constant dense<3.14159265> : tensor<f32>
    %place = train.concat %x, %t along 1
    %a = train.apply @first(%place)
    %b = train.tanh %a
    %c = train.apply @second(%b)
    %d = train.tanh %c
    %n = train.apply @last(%d)
    %angle = train.mul %x, %pi
    %start = train.sin %angle
    %rest = train.sub %one, %x
    %ends = train.mul %x, %rest
    %factor = train.mul %ends, %t
    %change = train.mul %factor, %n
    %u = train.add %start, %change
    train.return %u
  }
  // Rows are independent of one another, so the gradient of the sum over the batch has the derivatives of every row.
  train.func @derivatives(%x: f32[batch, 1], %t: f32[batch, 1]) {
    %u = train.call @temperature(%x, %t)
    %sum = train.reduce_sum %u over [0, 1]
    %u_x, %u_t = train.grad %sum wrt %x, %t
    %slopes = train.reduce_sum %u_x over [0, 1]
    %u_xx = train.grad %slopes wrt %x
    train.return %u_t, %u_x, %u_xx
  }
  train.func @residual(%x: f32[batch, 1], %t: f32[batch, 1]) {
    %diffusivity = train.constant dense<0.2> : tensor<f32>
    %u_t, %u_x, %u_xx = train.call @derivatives(%x, %t)
    %flow = train.mul %u_xx, %diffusivity
    %loss = train.mse %u_t, %flow
    train.return %loss
  }
  train.step @fit minimize @residual over all with #train.adam<lr = 5.0e-3> schedule #train.cosine<steps = 2000, warmup = 50, floor = 0.01>
  train.export @temperature as "temperature"
  train.export @derivatives as "derivatives"
}
