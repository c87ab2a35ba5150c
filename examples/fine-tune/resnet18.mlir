// ResNet-18 of torchvision for three classes and images of 64 x 64 bytes, as docs/examples/fine-tuning.md exports it, from random weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @resnet18(batch = 32) {
  train.model @basic_block {
    train.param @conv1.weight : f32[64, 3, 3, 64] = #train.normal<std = 0.0591> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
    train.buffer @bn1.running_var : f32[64] = #train.ones
    train.param @bn1.weight : f32[64] = #train.ones {frozen}
    train.buffer @bn1.running_mean : f32[64] = #train.zeros
    train.param @bn1.bias : f32[64] = #train.zeros {frozen}
    train.param @conv2.weight : f32[64, 3, 3, 64] = #train.normal<std = 0.0589> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
    train.buffer @bn2.running_var : f32[64] = #train.ones
    train.param @bn2.weight : f32[64] = #train.ones {frozen}
    train.buffer @bn2.running_mean : f32[64] = #train.zeros
    train.param @bn2.bias : f32[64] = #train.zeros {frozen}
    train.func @apply(%x: f32[batch, 16, 16, 64]) {
      %conv1 = train.conv2d %x, %conv1.weight strides [1, 1] padding [1, 1, 1, 1]
      %c = train.constant dense<1.0e-05> : tensor<f32>
      %bn1 = train.add %bn1.running_var, %c
      %bn1_1 = train.rsqrt %bn1
      %bn1_2 = train.mul %bn1.weight, %bn1_1
      %bn1_3 = train.sub %conv1, %bn1.running_mean
      %bn1_4 = train.mul %bn1_3, %bn1_2
      %bn1_5 = train.add %bn1_4, %bn1.bias
      %relu = train.relu %bn1_5
      %conv2 = train.conv2d %relu, %conv2.weight strides [1, 1] padding [1, 1, 1, 1]
      %bn2 = train.add %bn2.running_var, %c
      %bn2_1 = train.rsqrt %bn2
      %bn2_2 = train.mul %bn2.weight, %bn2_1
      %bn2_3 = train.sub %conv2, %bn2.running_mean
      %bn2_4 = train.mul %bn2_3, %bn2_2
      %bn2_5 = train.add %bn2_4, %bn2.bias
      %add = train.add %bn2_5, %x
      %relu_1 = train.relu %add
      train.return %relu_1
    }
  }
  train.model @batch_norm2d {
    train.buffer @running_var : f32[128] = #train.ones
    train.param @weight : f32[128] = #train.ones {frozen}
    train.buffer @running_mean : f32[128] = #train.zeros
    train.param @bias : f32[128] = #train.zeros {frozen}
    train.func @apply(%x: f32[batch, 8, 8, 128]) {
      %c = train.constant dense<1.0e-05> : tensor<f32>
      %bn1 = train.add %running_var, %c
      %bn1_1 = train.rsqrt %bn1
      %bn1_2 = train.mul %weight, %bn1_1
      %bn1_3 = train.sub %x, %running_mean
      %bn1_4 = train.mul %bn1_3, %bn1_2
      %bn1_5 = train.add %bn1_4, %bias
      train.return %bn1_5
    }
  }
  train.model @batch_norm2d_2 {
    train.buffer @running_var : f32[256] = #train.ones
    train.param @weight : f32[256] = #train.ones {frozen}
    train.buffer @running_mean : f32[256] = #train.zeros
    train.param @bias : f32[256] = #train.zeros {frozen}
    train.func @apply(%x: f32[batch, 4, 4, 256]) {
      %c = train.constant dense<1.0e-05> : tensor<f32>
      %bn1 = train.add %running_var, %c
      %bn1_1 = train.rsqrt %bn1
      %bn1_2 = train.mul %weight, %bn1_1
      %bn1_3 = train.sub %x, %running_mean
      %bn1_4 = train.mul %bn1_3, %bn1_2
      %bn1_5 = train.add %bn1_4, %bias
      train.return %bn1_5
    }
  }
  train.param @network.conv1.weight : f32[64, 7, 7, 3] = #train.normal<std = 0.0255> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.bn1.weight : f32[64] = #train.ones {frozen}
  train.param @network.bn1.bias : f32[64] = #train.zeros {frozen}
  train.use @basic_block as @network.layer1 times 2
  train.param @network.layer2.0.conv1.weight : f32[128, 3, 3, 64] = #train.normal<std = 0.0418> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d as @network.layer2.0.bn1
  train.param @network.layer2.0.conv2.weight : f32[128, 3, 3, 128] = #train.normal<std = 0.0418> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d as @network.layer2.0.bn2
  train.param @network.layer2.0.downsample.0.weight : f32[128, 1, 1, 64] = #train.normal<std = 0.126> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d as @network.layer2.0.downsample.1
  train.param @network.layer2.1.conv1.weight : f32[128, 3, 3, 128] = #train.normal<std = 0.0417> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d as @network.layer2.1.bn1
  train.param @network.layer2.1.conv2.weight : f32[128, 3, 3, 128] = #train.normal<std = 0.0415> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d as @network.layer2.1.bn2
  train.param @network.layer3.0.conv1.weight : f32[256, 3, 3, 128] = #train.normal<std = 0.0294> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d_2 as @network.layer3.0.bn1
  train.param @network.layer3.0.conv2.weight : f32[256, 3, 3, 256] = #train.normal<std = 0.0295> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d_2 as @network.layer3.0.bn2
  train.param @network.layer3.0.downsample.0.weight : f32[256, 1, 1, 128] = #train.normal<std = 0.088> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d_2 as @network.layer3.0.downsample.1
  train.param @network.layer3.1.conv1.weight : f32[256, 3, 3, 256] = #train.normal<std = 0.0295> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d_2 as @network.layer3.1.bn1
  train.param @network.layer3.1.conv2.weight : f32[256, 3, 3, 256] = #train.normal<std = 0.0295> {frozen, train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.use @batch_norm2d_2 as @network.layer3.1.bn2
  train.param @network.layer4.0.conv1.weight : f32[512, 3, 3, 256] = #train.normal<std = 0.0208> {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.layer4.0.bn1.weight : f32[512] = #train.ones
  train.param @network.layer4.0.bn1.bias : f32[512] = #train.zeros
  train.param @network.layer4.0.conv2.weight : f32[512, 3, 3, 512] = #train.normal<std = 0.0208> {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.layer4.0.bn2.weight : f32[512] = #train.ones
  train.param @network.layer4.0.bn2.bias : f32[512] = #train.zeros
  train.param @network.layer4.0.downsample.0.weight : f32[512, 1, 1, 256] = #train.normal<std = 0.0627> {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.layer4.0.downsample.1.weight : f32[512] = #train.ones
  train.param @network.layer4.0.downsample.1.bias : f32[512] = #train.zeros
  train.param @network.layer4.1.conv1.weight : f32[512, 3, 3, 512] = #train.normal<std = 0.0209> {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.layer4.1.bn1.weight : f32[512] = #train.ones
  train.param @network.layer4.1.bn1.bias : f32[512] = #train.zeros
  train.param @network.layer4.1.conv2.weight : f32[512, 3, 3, 512] = #train.normal<std = 0.0208> {train.outside = {order = array<i64: 0, 3, 1, 2>}}
  train.param @network.layer4.1.bn2.weight : f32[512] = #train.ones
  train.param @network.layer4.1.bn2.bias : f32[512] = #train.zeros
  train.param @network.fc.weight : f32[3, 512] = #train.uniform<low = -0.0442, high = 0.0442>
  train.param @network.fc.bias : f32[3] = #train.normal<mean = -0.00706, std = 0.026>
  train.buffer @network.bn1.running_mean : f32[64] = #train.zeros
  train.buffer @network.bn1.running_var : f32[64] = #train.ones
  train.buffer @network.layer4.0.bn1.running_mean : f32[512] = #train.zeros
  train.buffer @network.layer4.0.bn1.running_var : f32[512] = #train.ones
  train.buffer @network.layer4.0.bn2.running_mean : f32[512] = #train.zeros
  train.buffer @network.layer4.0.bn2.running_var : f32[512] = #train.ones
  train.buffer @network.layer4.0.downsample.1.running_mean : f32[512] = #train.zeros
  train.buffer @network.layer4.0.downsample.1.running_var : f32[512] = #train.ones
  train.buffer @network.layer4.1.bn1.running_mean : f32[512] = #train.zeros
  train.buffer @network.layer4.1.bn1.running_var : f32[512] = #train.ones
  train.buffer @network.layer4.1.bn2.running_mean : f32[512] = #train.zeros
  train.buffer @network.layer4.1.bn2.running_var : f32[512] = #train.ones
  train.func @predict(%image: ui8[batch, 64, 64, 3]) {
    %cast = train.cast %image to f32
    %c = train.constant dense<255.0> : tensor<f32>
    %div = train.div %cast, %c
    %c_1 = train.constant dense<[0.485, 0.456, 0.406]> : tensor<3xf32>
    %sub = train.sub %div, %c_1
    %c_2 = train.constant dense<[0.229, 0.224, 0.225]> : tensor<3xf32>
    %div_1 = train.div %sub, %c_2
    %conv1 = train.conv2d %div_1, %network.conv1.weight strides [2, 2] padding [3, 3, 3, 3]
    %c_3 = train.constant dense<1.0e-05> : tensor<f32>
    %bn1 = train.add %network.bn1.running_var, %c_3
    %bn1_1 = train.rsqrt %bn1
    %bn1_2 = train.mul %network.bn1.weight, %bn1_1
    %bn1_3 = train.sub %conv1, %network.bn1.running_mean
    %bn1_4 = train.mul %bn1_3, %bn1_2
    %bn1_5 = train.add %bn1_4, %network.bn1.bias
    %relu = train.relu %bn1_5
    %maxpool = train.pool max %relu window [3, 3] strides [2, 2] padding [1, 1, 1, 1]
    %basic_block = train.apply @network.layer1(%maxpool)
    %conv1_1 = train.conv2d %basic_block, %network.layer2.0.conv1.weight strides [2, 2] padding [1, 1, 1, 1]
    %batch_norm2d = train.apply @network.layer2.0.bn1(%conv1_1)
    %relu_1 = train.relu %batch_norm2d
    %conv2 = train.conv2d %relu_1, %network.layer2.0.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_1 = train.apply @network.layer2.0.bn2(%conv2)
    %conv2d = train.conv2d %basic_block, %network.layer2.0.downsample.0.weight strides [2, 2] padding [0, 0, 0, 0]
    %batch_norm2d_2 = train.apply @network.layer2.0.downsample.1(%conv2d)
    %add = train.add %batch_norm2d_1, %batch_norm2d_2
    %relu_2 = train.relu %add
    %conv1_2 = train.conv2d %relu_2, %network.layer2.1.conv1.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_3 = train.apply @network.layer2.1.bn1(%conv1_2)
    %relu_3 = train.relu %batch_norm2d_3
    %conv2_1 = train.conv2d %relu_3, %network.layer2.1.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_4 = train.apply @network.layer2.1.bn2(%conv2_1)
    %add_1 = train.add %batch_norm2d_4, %relu_2
    %relu_4 = train.relu %add_1
    %conv1_3 = train.conv2d %relu_4, %network.layer3.0.conv1.weight strides [2, 2] padding [1, 1, 1, 1]
    %batch_norm2d_2_1 = train.apply @network.layer3.0.bn1(%conv1_3)
    %relu_5 = train.relu %batch_norm2d_2_1
    %conv2_2 = train.conv2d %relu_5, %network.layer3.0.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_2_2 = train.apply @network.layer3.0.bn2(%conv2_2)
    %conv2d_1 = train.conv2d %relu_4, %network.layer3.0.downsample.0.weight strides [2, 2] padding [0, 0, 0, 0]
    %batch_norm2d_2_3 = train.apply @network.layer3.0.downsample.1(%conv2d_1)
    %add_2 = train.add %batch_norm2d_2_2, %batch_norm2d_2_3
    %relu_6 = train.relu %add_2
    %conv1_4 = train.conv2d %relu_6, %network.layer3.1.conv1.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_2_4 = train.apply @network.layer3.1.bn1(%conv1_4)
    %relu_7 = train.relu %batch_norm2d_2_4
    %conv2_3 = train.conv2d %relu_7, %network.layer3.1.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %batch_norm2d_2_5 = train.apply @network.layer3.1.bn2(%conv2_3)
    %add_3 = train.add %batch_norm2d_2_5, %relu_6
    %relu_8 = train.relu %add_3
    %conv1_5 = train.conv2d %relu_8, %network.layer4.0.conv1.weight strides [2, 2] padding [1, 1, 1, 1]
    %bn1_6 = train.batch_norm %conv1_5, %network.layer4.0.bn1.weight, %network.layer4.0.bn1.bias running @network.layer4.0.bn1.running_mean, @network.layer4.0.bn1.running_var momentum 0.1 eps 1e-05
    %relu_9 = train.relu %bn1_6
    %conv2_4 = train.conv2d %relu_9, %network.layer4.0.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %bn2 = train.batch_norm %conv2_4, %network.layer4.0.bn2.weight, %network.layer4.0.bn2.bias running @network.layer4.0.bn2.running_mean, @network.layer4.0.bn2.running_var momentum 0.1 eps 1e-05
    %conv2d_2 = train.conv2d %relu_8, %network.layer4.0.downsample.0.weight strides [2, 2] padding [0, 0, 0, 0]
    %batch_norm = train.batch_norm %conv2d_2, %network.layer4.0.downsample.1.weight, %network.layer4.0.downsample.1.bias running @network.layer4.0.downsample.1.running_mean, @network.layer4.0.downsample.1.running_var momentum 0.1 eps 1e-05
    %add_4 = train.add %bn2, %batch_norm
    %relu_10 = train.relu %add_4
    %conv1_6 = train.conv2d %relu_10, %network.layer4.1.conv1.weight strides [1, 1] padding [1, 1, 1, 1]
    %bn1_7 = train.batch_norm %conv1_6, %network.layer4.1.bn1.weight, %network.layer4.1.bn1.bias running @network.layer4.1.bn1.running_mean, @network.layer4.1.bn1.running_var momentum 0.1 eps 1e-05
    %relu_11 = train.relu %bn1_7
    %conv2_5 = train.conv2d %relu_11, %network.layer4.1.conv2.weight strides [1, 1] padding [1, 1, 1, 1]
    %bn2_1 = train.batch_norm %conv2_5, %network.layer4.1.bn2.weight, %network.layer4.1.bn2.bias running @network.layer4.1.bn2.running_mean, @network.layer4.1.bn2.running_var momentum 0.1 eps 1e-05
    %add_5 = train.add %bn2_1, %relu_10
    %relu_12 = train.relu %add_5
    %avgpool = train.global_avg_pool %relu_12
    %transpose = train.transpose %network.fc.weight [1, 0]
    %fc = train.linear %avgpool, %transpose, %network.fc.bias
    train.return %fc
  }
  train.func @loss(%image: ui8[batch, 64, 64, 3], %target: i32[batch]) {
    %fc = train.call @predict(%image)
    %softmax_cross_entropy = train.softmax_cross_entropy %fc, %target ignore -100
    train.return %softmax_cross_entropy
  }
  train.step @fit minimize @loss over all with #train.adamw<lr = 0.0005, beta1 = 0.9, beta2 = 0.999, eps = 1.0e-08, weight_decay = 0.01>
  train.export @predict as "predict"
}
