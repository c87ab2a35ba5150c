// A character-level GPT; written by make-model.py, see there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sizes: batch 16 context 128 steps 1200
train.model @char_gpt {
  train.param @token_embedding : tensor<96x128xf32> = #train.normal<std = 0.0442>
  train.param @position_embedding : tensor<128x128xf32> = #train.normal<std = 0.0442>
  train.param @block0.norm1.gamma : tensor<128xf32> = #train.ones
  train.param @block0.norm1.beta : tensor<128xf32> = #train.zeros
  train.param @block0.qkv.weight : tensor<128x384xf32> = #train.normal<std = 0.0442>
  train.param @block0.qkv.bias : tensor<384xf32> = #train.zeros
  train.param @block0.project.weight : tensor<128x128xf32> = #train.normal<std = 0.0156>
  train.param @block0.project.bias : tensor<128xf32> = #train.zeros
  train.param @block0.norm2.gamma : tensor<128xf32> = #train.ones
  train.param @block0.norm2.beta : tensor<128xf32> = #train.zeros
  train.param @block0.up.weight : tensor<128x512xf32> = #train.normal<std = 0.0442>
  train.param @block0.up.bias : tensor<512xf32> = #train.zeros
  train.param @block0.down.weight : tensor<512x128xf32> = #train.normal<std = 0.0156>
  train.param @block0.down.bias : tensor<128xf32> = #train.zeros
  train.param @block1.norm1.gamma : tensor<128xf32> = #train.ones
  train.param @block1.norm1.beta : tensor<128xf32> = #train.zeros
  train.param @block1.qkv.weight : tensor<128x384xf32> = #train.normal<std = 0.0442>
  train.param @block1.qkv.bias : tensor<384xf32> = #train.zeros
  train.param @block1.project.weight : tensor<128x128xf32> = #train.normal<std = 0.0156>
  train.param @block1.project.bias : tensor<128xf32> = #train.zeros
  train.param @block1.norm2.gamma : tensor<128xf32> = #train.ones
  train.param @block1.norm2.beta : tensor<128xf32> = #train.zeros
  train.param @block1.up.weight : tensor<128x512xf32> = #train.normal<std = 0.0442>
  train.param @block1.up.bias : tensor<512xf32> = #train.zeros
  train.param @block1.down.weight : tensor<512x128xf32> = #train.normal<std = 0.0156>
  train.param @block1.down.bias : tensor<128xf32> = #train.zeros
  train.param @block2.norm1.gamma : tensor<128xf32> = #train.ones
  train.param @block2.norm1.beta : tensor<128xf32> = #train.zeros
  train.param @block2.qkv.weight : tensor<128x384xf32> = #train.normal<std = 0.0442>
  train.param @block2.qkv.bias : tensor<384xf32> = #train.zeros
  train.param @block2.project.weight : tensor<128x128xf32> = #train.normal<std = 0.0156>
  train.param @block2.project.bias : tensor<128xf32> = #train.zeros
  train.param @block2.norm2.gamma : tensor<128xf32> = #train.ones
  train.param @block2.norm2.beta : tensor<128xf32> = #train.zeros
  train.param @block2.up.weight : tensor<128x512xf32> = #train.normal<std = 0.0442>
  train.param @block2.up.bias : tensor<512xf32> = #train.zeros
  train.param @block2.down.weight : tensor<512x128xf32> = #train.normal<std = 0.0156>
  train.param @block2.down.bias : tensor<128xf32> = #train.zeros
  train.param @block3.norm1.gamma : tensor<128xf32> = #train.ones
  train.param @block3.norm1.beta : tensor<128xf32> = #train.zeros
  train.param @block3.qkv.weight : tensor<128x384xf32> = #train.normal<std = 0.0442>
  train.param @block3.qkv.bias : tensor<384xf32> = #train.zeros
  train.param @block3.project.weight : tensor<128x128xf32> = #train.normal<std = 0.0156>
  train.param @block3.project.bias : tensor<128xf32> = #train.zeros
  train.param @block3.norm2.gamma : tensor<128xf32> = #train.ones
  train.param @block3.norm2.beta : tensor<128xf32> = #train.zeros
  train.param @block3.up.weight : tensor<128x512xf32> = #train.normal<std = 0.0442>
  train.param @block3.up.bias : tensor<512xf32> = #train.zeros
  train.param @block3.down.weight : tensor<512x128xf32> = #train.normal<std = 0.0156>
  train.param @block3.down.bias : tensor<128xf32> = #train.zeros
  train.param @norm.gamma : tensor<128xf32> = #train.ones
  train.param @norm.beta : tensor<128xf32> = #train.zeros
  train.param @output.weight : tensor<128x96xf32> = #train.normal<std = 0.0442>
  train.func @block(%x: tensor<16x128x128xf32>, %norm1_gamma: tensor<128xf32>, %norm1_beta: tensor<128xf32>, %qkv_weight: tensor<128x384xf32>, %qkv_bias: tensor<384xf32>, %project_weight: tensor<128x128xf32>, %project_bias: tensor<128xf32>, %norm2_gamma: tensor<128xf32>, %norm2_beta: tensor<128xf32>, %up_weight: tensor<128x512xf32>, %up_bias: tensor<512xf32>, %down_weight: tensor<512x128xf32>, %down_bias: tensor<128xf32>) -> tensor<16x128x128xf32> {
    %n1 = train.layer_norm %x, %norm1_gamma, %norm1_beta eps 1.0e-5 : tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %qkv = train.linear %n1, %qkv_weight, %qkv_bias : tensor<16x128x128xf32>, tensor<128x384xf32>, tensor<384xf32>
    %q0, %k0, %v0 = train.split %qkv into [128, 128, 128] along 2 : tensor<16x128x384xf32>
    %q1 = train.reshape %q0 : tensor<16x128x128xf32> to tensor<16x128x4x32xf32>
    %q = train.transpose %q1 [0, 2, 1, 3] : tensor<16x128x4x32xf32>
    %k1 = train.reshape %k0 : tensor<16x128x128xf32> to tensor<16x128x4x32xf32>
    %k = train.transpose %k1 [0, 2, 1, 3] : tensor<16x128x4x32xf32>
    %v1 = train.reshape %v0 : tensor<16x128x128xf32> to tensor<16x128x4x32xf32>
    %v = train.transpose %v1 [0, 2, 1, 3] : tensor<16x128x4x32xf32>
    %a = train.attention %q, %k, %v causal : tensor<16x4x128x32xf32>, tensor<16x4x128x32xf32>, tensor<16x4x128x32xf32>
    %a1 = train.transpose %a [0, 2, 1, 3] : tensor<16x4x128x32xf32>
    %a2 = train.reshape %a1 : tensor<16x128x4x32xf32> to tensor<16x128x128xf32>
    %a3 = train.linear %a2, %project_weight, %project_bias : tensor<16x128x128xf32>, tensor<128x128xf32>, tensor<128xf32>
    %x1 = train.add %x, %a3 : tensor<16x128x128xf32>, tensor<16x128x128xf32>
    %n2 = train.layer_norm %x1, %norm2_gamma, %norm2_beta eps 1.0e-5 : tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %u = train.linear %n2, %up_weight, %up_bias : tensor<16x128x128xf32>, tensor<128x512xf32>, tensor<512xf32>
    %h = train.gelu_tanh %u : tensor<16x128x512xf32>
    %d = train.linear %h, %down_weight, %down_bias : tensor<16x128x512xf32>, tensor<512x128xf32>, tensor<128xf32>
    %y = train.add %x1, %d : tensor<16x128x128xf32>, tensor<16x128x128xf32>
    train.return %y : tensor<16x128x128xf32>
  }
  train.func @block_of_one(%x: tensor<1x128x128xf32>, %norm1_gamma: tensor<128xf32>, %norm1_beta: tensor<128xf32>, %qkv_weight: tensor<128x384xf32>, %qkv_bias: tensor<384xf32>, %project_weight: tensor<128x128xf32>, %project_bias: tensor<128xf32>, %norm2_gamma: tensor<128xf32>, %norm2_beta: tensor<128xf32>, %up_weight: tensor<128x512xf32>, %up_bias: tensor<512xf32>, %down_weight: tensor<512x128xf32>, %down_bias: tensor<128xf32>) -> tensor<1x128x128xf32> {
    %n1 = train.layer_norm %x, %norm1_gamma, %norm1_beta eps 1.0e-5 : tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %qkv = train.linear %n1, %qkv_weight, %qkv_bias : tensor<1x128x128xf32>, tensor<128x384xf32>, tensor<384xf32>
    %q0, %k0, %v0 = train.split %qkv into [128, 128, 128] along 2 : tensor<1x128x384xf32>
    %q1 = train.reshape %q0 : tensor<1x128x128xf32> to tensor<1x128x4x32xf32>
    %q = train.transpose %q1 [0, 2, 1, 3] : tensor<1x128x4x32xf32>
    %k1 = train.reshape %k0 : tensor<1x128x128xf32> to tensor<1x128x4x32xf32>
    %k = train.transpose %k1 [0, 2, 1, 3] : tensor<1x128x4x32xf32>
    %v1 = train.reshape %v0 : tensor<1x128x128xf32> to tensor<1x128x4x32xf32>
    %v = train.transpose %v1 [0, 2, 1, 3] : tensor<1x128x4x32xf32>
    %a = train.attention %q, %k, %v causal : tensor<1x4x128x32xf32>, tensor<1x4x128x32xf32>, tensor<1x4x128x32xf32>
    %a1 = train.transpose %a [0, 2, 1, 3] : tensor<1x4x128x32xf32>
    %a2 = train.reshape %a1 : tensor<1x128x4x32xf32> to tensor<1x128x128xf32>
    %a3 = train.linear %a2, %project_weight, %project_bias : tensor<1x128x128xf32>, tensor<128x128xf32>, tensor<128xf32>
    %x1 = train.add %x, %a3 : tensor<1x128x128xf32>, tensor<1x128x128xf32>
    %n2 = train.layer_norm %x1, %norm2_gamma, %norm2_beta eps 1.0e-5 : tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %u = train.linear %n2, %up_weight, %up_bias : tensor<1x128x128xf32>, tensor<128x512xf32>, tensor<512xf32>
    %h = train.gelu_tanh %u : tensor<1x128x512xf32>
    %d = train.linear %h, %down_weight, %down_bias : tensor<1x128x512xf32>, tensor<512x128xf32>, tensor<128xf32>
    %y = train.add %x1, %d : tensor<1x128x128xf32>, tensor<1x128x128xf32>
    train.return %y : tensor<1x128x128xf32>
  }
  train.func @logits(%token: tensor<16x128xi32>) -> tensor<16x128x96xf32> {
    %te = train.read @token_embedding : tensor<96x128xf32>
    %pe = train.read @position_embedding : tensor<128x128xf32>
    %e = train.embedding %te at %token : tensor<96x128xf32>, tensor<16x128xi32>
    %x0 = train.add %e, %pe : tensor<16x128x128xf32>, tensor<128x128xf32>
    %norm1_gamma0 = train.read @block0.norm1.gamma : tensor<128xf32>
    %norm1_beta0 = train.read @block0.norm1.beta : tensor<128xf32>
    %qkv_weight0 = train.read @block0.qkv.weight : tensor<128x384xf32>
    %qkv_bias0 = train.read @block0.qkv.bias : tensor<384xf32>
    %project_weight0 = train.read @block0.project.weight : tensor<128x128xf32>
    %project_bias0 = train.read @block0.project.bias : tensor<128xf32>
    %norm2_gamma0 = train.read @block0.norm2.gamma : tensor<128xf32>
    %norm2_beta0 = train.read @block0.norm2.beta : tensor<128xf32>
    %up_weight0 = train.read @block0.up.weight : tensor<128x512xf32>
    %up_bias0 = train.read @block0.up.bias : tensor<512xf32>
    %down_weight0 = train.read @block0.down.weight : tensor<512x128xf32>
    %down_bias0 = train.read @block0.down.bias : tensor<128xf32>
    %x1 = train.call @block(%x0, %norm1_gamma0, %norm1_beta0, %qkv_weight0, %qkv_bias0, %project_weight0, %project_bias0, %norm2_gamma0, %norm2_beta0, %up_weight0, %up_bias0, %down_weight0, %down_bias0) : (tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<16x128x128xf32> loc("block0")
    %norm1_gamma1 = train.read @block1.norm1.gamma : tensor<128xf32>
    %norm1_beta1 = train.read @block1.norm1.beta : tensor<128xf32>
    %qkv_weight1 = train.read @block1.qkv.weight : tensor<128x384xf32>
    %qkv_bias1 = train.read @block1.qkv.bias : tensor<384xf32>
    %project_weight1 = train.read @block1.project.weight : tensor<128x128xf32>
    %project_bias1 = train.read @block1.project.bias : tensor<128xf32>
    %norm2_gamma1 = train.read @block1.norm2.gamma : tensor<128xf32>
    %norm2_beta1 = train.read @block1.norm2.beta : tensor<128xf32>
    %up_weight1 = train.read @block1.up.weight : tensor<128x512xf32>
    %up_bias1 = train.read @block1.up.bias : tensor<512xf32>
    %down_weight1 = train.read @block1.down.weight : tensor<512x128xf32>
    %down_bias1 = train.read @block1.down.bias : tensor<128xf32>
    %x2 = train.call @block(%x1, %norm1_gamma1, %norm1_beta1, %qkv_weight1, %qkv_bias1, %project_weight1, %project_bias1, %norm2_gamma1, %norm2_beta1, %up_weight1, %up_bias1, %down_weight1, %down_bias1) : (tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<16x128x128xf32> loc("block1")
    %norm1_gamma2 = train.read @block2.norm1.gamma : tensor<128xf32>
    %norm1_beta2 = train.read @block2.norm1.beta : tensor<128xf32>
    %qkv_weight2 = train.read @block2.qkv.weight : tensor<128x384xf32>
    %qkv_bias2 = train.read @block2.qkv.bias : tensor<384xf32>
    %project_weight2 = train.read @block2.project.weight : tensor<128x128xf32>
    %project_bias2 = train.read @block2.project.bias : tensor<128xf32>
    %norm2_gamma2 = train.read @block2.norm2.gamma : tensor<128xf32>
    %norm2_beta2 = train.read @block2.norm2.beta : tensor<128xf32>
    %up_weight2 = train.read @block2.up.weight : tensor<128x512xf32>
    %up_bias2 = train.read @block2.up.bias : tensor<512xf32>
    %down_weight2 = train.read @block2.down.weight : tensor<512x128xf32>
    %down_bias2 = train.read @block2.down.bias : tensor<128xf32>
    %x3 = train.call @block(%x2, %norm1_gamma2, %norm1_beta2, %qkv_weight2, %qkv_bias2, %project_weight2, %project_bias2, %norm2_gamma2, %norm2_beta2, %up_weight2, %up_bias2, %down_weight2, %down_bias2) : (tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<16x128x128xf32> loc("block2")
    %norm1_gamma3 = train.read @block3.norm1.gamma : tensor<128xf32>
    %norm1_beta3 = train.read @block3.norm1.beta : tensor<128xf32>
    %qkv_weight3 = train.read @block3.qkv.weight : tensor<128x384xf32>
    %qkv_bias3 = train.read @block3.qkv.bias : tensor<384xf32>
    %project_weight3 = train.read @block3.project.weight : tensor<128x128xf32>
    %project_bias3 = train.read @block3.project.bias : tensor<128xf32>
    %norm2_gamma3 = train.read @block3.norm2.gamma : tensor<128xf32>
    %norm2_beta3 = train.read @block3.norm2.beta : tensor<128xf32>
    %up_weight3 = train.read @block3.up.weight : tensor<128x512xf32>
    %up_bias3 = train.read @block3.up.bias : tensor<512xf32>
    %down_weight3 = train.read @block3.down.weight : tensor<512x128xf32>
    %down_bias3 = train.read @block3.down.bias : tensor<128xf32>
    %x4 = train.call @block(%x3, %norm1_gamma3, %norm1_beta3, %qkv_weight3, %qkv_bias3, %project_weight3, %project_bias3, %norm2_gamma3, %norm2_beta3, %up_weight3, %up_bias3, %down_weight3, %down_bias3) : (tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<16x128x128xf32> loc("block3")
    %gamma = train.read @norm.gamma : tensor<128xf32>
    %beta = train.read @norm.beta : tensor<128xf32>
    %n = train.layer_norm %x4, %gamma, %beta eps 1.0e-5 : tensor<16x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %w = train.read @output.weight : tensor<128x96xf32>
    %scores = train.linear %n, %w : tensor<16x128x128xf32>, tensor<128x96xf32>
    train.return %scores : tensor<16x128x96xf32>
  }
  train.func @logits_of_one(%token: tensor<1x128xi32>) -> tensor<1x128x96xf32> {
    %te = train.read @token_embedding : tensor<96x128xf32>
    %pe = train.read @position_embedding : tensor<128x128xf32>
    %e = train.embedding %te at %token : tensor<96x128xf32>, tensor<1x128xi32>
    %x0 = train.add %e, %pe : tensor<1x128x128xf32>, tensor<128x128xf32>
    %norm1_gamma0 = train.read @block0.norm1.gamma : tensor<128xf32>
    %norm1_beta0 = train.read @block0.norm1.beta : tensor<128xf32>
    %qkv_weight0 = train.read @block0.qkv.weight : tensor<128x384xf32>
    %qkv_bias0 = train.read @block0.qkv.bias : tensor<384xf32>
    %project_weight0 = train.read @block0.project.weight : tensor<128x128xf32>
    %project_bias0 = train.read @block0.project.bias : tensor<128xf32>
    %norm2_gamma0 = train.read @block0.norm2.gamma : tensor<128xf32>
    %norm2_beta0 = train.read @block0.norm2.beta : tensor<128xf32>
    %up_weight0 = train.read @block0.up.weight : tensor<128x512xf32>
    %up_bias0 = train.read @block0.up.bias : tensor<512xf32>
    %down_weight0 = train.read @block0.down.weight : tensor<512x128xf32>
    %down_bias0 = train.read @block0.down.bias : tensor<128xf32>
    %x1 = train.call @block_of_one(%x0, %norm1_gamma0, %norm1_beta0, %qkv_weight0, %qkv_bias0, %project_weight0, %project_bias0, %norm2_gamma0, %norm2_beta0, %up_weight0, %up_bias0, %down_weight0, %down_bias0) : (tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<1x128x128xf32> loc("block0")
    %norm1_gamma1 = train.read @block1.norm1.gamma : tensor<128xf32>
    %norm1_beta1 = train.read @block1.norm1.beta : tensor<128xf32>
    %qkv_weight1 = train.read @block1.qkv.weight : tensor<128x384xf32>
    %qkv_bias1 = train.read @block1.qkv.bias : tensor<384xf32>
    %project_weight1 = train.read @block1.project.weight : tensor<128x128xf32>
    %project_bias1 = train.read @block1.project.bias : tensor<128xf32>
    %norm2_gamma1 = train.read @block1.norm2.gamma : tensor<128xf32>
    %norm2_beta1 = train.read @block1.norm2.beta : tensor<128xf32>
    %up_weight1 = train.read @block1.up.weight : tensor<128x512xf32>
    %up_bias1 = train.read @block1.up.bias : tensor<512xf32>
    %down_weight1 = train.read @block1.down.weight : tensor<512x128xf32>
    %down_bias1 = train.read @block1.down.bias : tensor<128xf32>
    %x2 = train.call @block_of_one(%x1, %norm1_gamma1, %norm1_beta1, %qkv_weight1, %qkv_bias1, %project_weight1, %project_bias1, %norm2_gamma1, %norm2_beta1, %up_weight1, %up_bias1, %down_weight1, %down_bias1) : (tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<1x128x128xf32> loc("block1")
    %norm1_gamma2 = train.read @block2.norm1.gamma : tensor<128xf32>
    %norm1_beta2 = train.read @block2.norm1.beta : tensor<128xf32>
    %qkv_weight2 = train.read @block2.qkv.weight : tensor<128x384xf32>
    %qkv_bias2 = train.read @block2.qkv.bias : tensor<384xf32>
    %project_weight2 = train.read @block2.project.weight : tensor<128x128xf32>
    %project_bias2 = train.read @block2.project.bias : tensor<128xf32>
    %norm2_gamma2 = train.read @block2.norm2.gamma : tensor<128xf32>
    %norm2_beta2 = train.read @block2.norm2.beta : tensor<128xf32>
    %up_weight2 = train.read @block2.up.weight : tensor<128x512xf32>
    %up_bias2 = train.read @block2.up.bias : tensor<512xf32>
    %down_weight2 = train.read @block2.down.weight : tensor<512x128xf32>
    %down_bias2 = train.read @block2.down.bias : tensor<128xf32>
    %x3 = train.call @block_of_one(%x2, %norm1_gamma2, %norm1_beta2, %qkv_weight2, %qkv_bias2, %project_weight2, %project_bias2, %norm2_gamma2, %norm2_beta2, %up_weight2, %up_bias2, %down_weight2, %down_bias2) : (tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<1x128x128xf32> loc("block2")
    %norm1_gamma3 = train.read @block3.norm1.gamma : tensor<128xf32>
    %norm1_beta3 = train.read @block3.norm1.beta : tensor<128xf32>
    %qkv_weight3 = train.read @block3.qkv.weight : tensor<128x384xf32>
    %qkv_bias3 = train.read @block3.qkv.bias : tensor<384xf32>
    %project_weight3 = train.read @block3.project.weight : tensor<128x128xf32>
    %project_bias3 = train.read @block3.project.bias : tensor<128xf32>
    %norm2_gamma3 = train.read @block3.norm2.gamma : tensor<128xf32>
    %norm2_beta3 = train.read @block3.norm2.beta : tensor<128xf32>
    %up_weight3 = train.read @block3.up.weight : tensor<128x512xf32>
    %up_bias3 = train.read @block3.up.bias : tensor<512xf32>
    %down_weight3 = train.read @block3.down.weight : tensor<512x128xf32>
    %down_bias3 = train.read @block3.down.bias : tensor<128xf32>
    %x4 = train.call @block_of_one(%x3, %norm1_gamma3, %norm1_beta3, %qkv_weight3, %qkv_bias3, %project_weight3, %project_bias3, %norm2_gamma3, %norm2_beta3, %up_weight3, %up_bias3, %down_weight3, %down_bias3) : (tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x384xf32>, tensor<384xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>, tensor<128xf32>) -> tensor<1x128x128xf32> loc("block3")
    %gamma = train.read @norm.gamma : tensor<128xf32>
    %beta = train.read @norm.beta : tensor<128xf32>
    %n = train.layer_norm %x4, %gamma, %beta eps 1.0e-5 : tensor<1x128x128xf32>, tensor<128xf32>, tensor<128xf32>
    %w = train.read @output.weight : tensor<128x96xf32>
    %scores = train.linear %n, %w : tensor<1x128x128xf32>, tensor<128x96xf32>
    train.return %scores : tensor<1x128x96xf32>
  }
  train.func @loss(%token: tensor<16x128xi32>, %next: tensor<16x128xi32>) -> tensor<f32> {
    %scores = train.call @logits(%token) : (tensor<16x128xi32>) -> tensor<16x128x96xf32>
    %loss = train.softmax_cross_entropy %scores, %next ignore -1 : tensor<16x128x96xf32>, tensor<16x128xi32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@token_embedding, @position_embedding, @block0.norm1.gamma, @block0.norm1.beta, @block0.qkv.weight, @block0.qkv.bias, @block0.project.weight, @block0.project.bias, @block0.norm2.gamma, @block0.norm2.beta, @block0.up.weight, @block0.up.bias, @block0.down.weight, @block0.down.bias, @block1.norm1.gamma, @block1.norm1.beta, @block1.qkv.weight, @block1.qkv.bias, @block1.project.weight, @block1.project.bias, @block1.norm2.gamma, @block1.norm2.beta, @block1.up.weight, @block1.up.bias, @block1.down.weight, @block1.down.bias, @block2.norm1.gamma, @block2.norm1.beta, @block2.qkv.weight, @block2.qkv.bias, @block2.project.weight, @block2.project.bias, @block2.norm2.gamma, @block2.norm2.beta, @block2.up.weight, @block2.up.bias, @block2.down.weight, @block2.down.bias, @block3.norm1.gamma, @block3.norm1.beta, @block3.qkv.weight, @block3.qkv.bias, @block3.project.weight, @block3.project.bias, @block3.norm2.gamma, @block3.norm2.beta, @block3.up.weight, @block3.up.bias, @block3.down.weight, @block3.down.bias, @norm.gamma, @norm.beta, @output.weight]
    with #train.adamw<lr = 2.0e-03, beta2 = 0.99, weight_decay = 0.1>
    schedule #train.cosine<steps = 1200, warmup = 100, floor = 0.05> {clip_norm = 1.0}
  train.export @logits_of_one as "predict"
}
