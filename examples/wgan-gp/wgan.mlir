// A Wasserstein GAN with gradient penalty (Gulrajani et al. 2017) for points of the plane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @wgan(batch = 128, noise = 4, width = 64) {
  train.model @layer(in = width, out = width) {
    train.param @weight : f32[in, out] = #train.kaiming_uniform
    train.param @bias : f32[out] = #train.zeros
    train.func @apply(%x: f32[batch, in]) {
      %y = train.linear %x, %weight, %bias
      train.return %y
    }
  }
  // Three layers from `in` to `out` numbers.
  train.model @network(in = 2, out = 1) {
    train.use @layer as @first (in = in)
    train.use @layer as @second
    train.use @layer as @last (out = out)
    train.func @apply(%x: f32[batch, in]) {
      %a = train.apply @first(%x)
      %b = train.leaky_relu %a slope 0.2
      %c = train.apply @second(%b)
      %d = train.leaky_relu %c slope 0.2
      %y = train.apply @last(%d)
      train.return %y
    }
  }
  train.use @network as @critic
  train.use @network as @generator (in = noise, out = 2)
  train.func @sample(%noise: f32[batch, noise]) {
    %points = train.apply @generator(%noise)
    train.return %points
  }
  // How much higher the critic scores real points than made ones: its estimate of the Wasserstein distance.
  train.func @gap(%real: f32[batch, 2], %made: f32[batch, 2]) {
    %a = train.apply @critic(%real)
    %b = train.apply @critic(%made)
    %difference = train.sub %a, %b
    %gap = train.reduce_mean %difference over [0, 1]
    train.return %gap
  }
  // Mean of (|gradient of the critic| - 1)^2 at points between real and made ones.
  train.func @penalty(%real: f32[batch, 2], %made: f32[batch, 2]) {
    %one = train.constant dense<1.0> : tensor<f32>
    %tiny = train.constant dense<1.0e-12> : tensor<f32>
    %share = train.random_uniform from 0.0 to 1.0 : f32[batch, 1]
    %way = train.sub %real, %made
    %part = train.mul %way, %share
    %between = train.add %made, %part
    %scores = train.apply @critic(%between)
    %sum = train.reduce_sum %scores over [0, 1]
    %slope = train.grad %sum wrt %between
    %squares = train.square %slope
    %squared = train.reduce_sum %squares over [1]
    %positive = train.add %squared, %tiny
    %norm = train.sqrt %positive
    %excess = train.sub %norm, %one
    %penalties = train.square %excess
    %penalty = train.reduce_mean %penalties over [0]
    train.return %penalty
  }
  train.func @critic_loss(%real: f32[batch, 2]) {
    %weight = train.constant dense<0.3> : tensor<f32>
    %noise = train.random_normal mean 0.0 std 1.0 : f32[batch, noise]
    %points = train.apply @generator(%noise)
    %made = train.stop_gradient %points
    %gap = train.call @gap(%real, %made)
    %penalty = train.call @penalty(%real, %made)
    %weighted = train.mul %penalty, %weight
    %loss = train.sub %weighted, %gap
    train.return %loss
  }
  train.func @generator_loss() {
    %noise = train.random_normal mean 0.0 std 1.0 : f32[batch, noise]
    %made = train.apply @generator(%noise)
    %scores = train.apply @critic(%made)
    %score = train.reduce_mean %scores over [0, 1]
    %loss = train.neg %score
    train.return %loss
  }
  train.step @critic minimize @critic_loss over ["critic.*"] with #train.adam<lr = 3.0e-3, beta1 = 0.5, beta2 = 0.9>
    schedule #train.cosine<steps = 10000, floor = 0.02>
  train.step @generator minimize @generator_loss over ["generator.*"] with #train.adam<lr = 2.0e-3, beta1 = 0.5, beta2 = 0.9>
    schedule #train.cosine<steps = 2000, floor = 0.02>
  train.export @sample as "sample"
  train.export @gap as "gap"
}
