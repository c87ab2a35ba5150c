// Points in a plane: a generator makes them of noise, a critic tells them from those of the data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @gan(batch = 64, noise = 4, width = 32) {
  train.model @network(in = noise, out = 2) {
    train.param @w1 : f32[in, width] = #train.kaiming_uniform
    train.param @b1 : f32[width] = #train.zeros
    train.param @w2 : f32[width, width] = #train.kaiming_uniform
    train.param @b2 : f32[width] = #train.zeros
    train.param @w3 : f32[width, out] = #train.xavier_uniform
    train.param @b3 : f32[out] = #train.zeros
    train.func @apply(%x: f32[batch, in]) {
      %1 = train.linear %x, %w1, %b1
      %2 = train.leaky_relu %1 slope 0.2
      %3 = train.linear %2, %w2, %b2
      %4 = train.leaky_relu %3 slope 0.2
      %5 = train.linear %4, %w3, %b3
      train.return %5
    }
  }
  train.use @network as @generator
  train.use @network as @critic (in = 2, out = 1)
  train.func @made() {
    %z = train.random_normal mean 0 std 1 : f32[batch, noise]
    %p = train.apply @generator(%z)
    train.return %p
  }
  // softplus(-s) is -log sigmoid(s): a high score says "of the data".
  train.func @critic_loss(%point: f32[batch, 2]) {
    %fake = train.call @made()
    %f = train.apply @critic(%fake)
    %r = train.apply @critic(%point)
    %no = train.softplus %f
    %n = train.neg %r
    %yes = train.softplus %n
    %both = train.add %no, %yes
    %l = train.reduce_mean %both over [0, 1]
    train.return %l
  }
  train.func @generator_loss() {
    %fake = train.call @made()
    %s = train.apply @critic(%fake)
    %n = train.neg %s
    %p = train.softplus %n
    %l = train.reduce_mean %p over [0, 1]
    train.return %l
  }
  train.func @generate(%z: f32[batch, noise]) {
    %p = train.apply @generator(%z)
    train.return %p
  }
  train.step @critic minimize @critic_loss over ["critic.*"] with #train.adam<lr = 2e-3, beta1 = 0.5>
  train.step @generator minimize @generator_loss over ["generator.*"] with #train.adam<lr = 1e-3, beta1 = 0.5>
  train.export @generate as "generate"
}
