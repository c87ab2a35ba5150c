// A character-level GPT; written by make-model.py, see there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sizes: batch 8 context 256 steps 5000
train.model @char_gpt {
  train.param @token_embedding : tensor<96x384xf32> = #train.normal<std = 0.0255>
  train.param @position_embedding : tensor<256x384xf32> = #train.normal<std = 0.0255>
  train.param @block0.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block0.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block0.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block0.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block0.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block0.project.bias : tensor<384xf32> = #train.zeros
  train.param @block0.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block0.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block0.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block0.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block0.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block0.down.bias : tensor<384xf32> = #train.zeros
  train.param @block1.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block1.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block1.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block1.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block1.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block1.project.bias : tensor<384xf32> = #train.zeros
  train.param @block1.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block1.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block1.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block1.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block1.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block1.down.bias : tensor<384xf32> = #train.zeros
  train.param @block2.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block2.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block2.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block2.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block2.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block2.project.bias : tensor<384xf32> = #train.zeros
  train.param @block2.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block2.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block2.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block2.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block2.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block2.down.bias : tensor<384xf32> = #train.zeros
  train.param @block3.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block3.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block3.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block3.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block3.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block3.project.bias : tensor<384xf32> = #train.zeros
  train.param @block3.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block3.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block3.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block3.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block3.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block3.down.bias : tensor<384xf32> = #train.zeros
  train.param @block4.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block4.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block4.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block4.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block4.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block4.project.bias : tensor<384xf32> = #train.zeros
  train.param @block4.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block4.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block4.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block4.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block4.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block4.down.bias : tensor<384xf32> = #train.zeros
  train.param @block5.norm1.gamma : tensor<384xf32> = #train.ones
  train.param @block5.norm1.beta : tensor<384xf32> = #train.zeros
  train.param @block5.qkv.weight : tensor<384x1152xf32> = #train.normal<std = 0.0255>
  train.param @block5.qkv.bias : tensor<1152xf32> = #train.zeros
  train.param @block5.project.weight : tensor<384x384xf32> = #train.normal<std = 0.0074>
  train.param @block5.project.bias : tensor<384xf32> = #train.zeros
  train.param @block5.norm2.gamma : tensor<384xf32> = #train.ones
  train.param @block5.norm2.beta : tensor<384xf32> = #train.zeros
  train.param @block5.up.weight : tensor<384x1536xf32> = #train.normal<std = 0.0255>
  train.param @block5.up.bias : tensor<1536xf32> = #train.zeros
  train.param @block5.down.weight : tensor<1536x384xf32> = #train.normal<std = 0.0074>
  train.param @block5.down.bias : tensor<384xf32> = #train.zeros
  train.param @norm.gamma : tensor<384xf32> = #train.ones
  train.param @norm.beta : tensor<384xf32> = #train.zeros
  train.param @output.weight : tensor<384x96xf32> = #train.normal<std = 0.0255>
  train.func @block(%x: tensor<8x256x384xf32>, %norm1_gamma: tensor<384xf32>, %norm1_beta: tensor<384xf32>, %qkv_weight: tensor<384x1152xf32>, %qkv_bias: tensor<1152xf32>, %project_weight: tensor<384x384xf32>, %project_bias: tensor<384xf32>, %norm2_gamma: tensor<384xf32>, %norm2_beta: tensor<384xf32>, %up_weight: tensor<384x1536xf32>, %up_bias: tensor<1536xf32>, %down_weight: tensor<1536x384xf32>, %down_bias: tensor<384xf32>) -> tensor<8x256x384xf32> {
    %n1 = train.layer_norm %x, %norm1_gamma, %norm1_beta eps 1.0e-5 : tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %qkv = train.linear %n1, %qkv_weight, %qkv_bias : tensor<8x256x384xf32>, tensor<384x1152xf32>, tensor<1152xf32>
    %q0, %k0, %v0 = train.split %qkv into [384, 384, 384] along 2 : tensor<8x256x1152xf32>
    %q1 = train.reshape %q0 : tensor<8x256x384xf32> to tensor<8x256x6x64xf32>
    %q = train.transpose %q1 [0, 2, 1, 3] : tensor<8x256x6x64xf32>
    %k1 = train.reshape %k0 : tensor<8x256x384xf32> to tensor<8x256x6x64xf32>
    %k = train.transpose %k1 [0, 2, 1, 3] : tensor<8x256x6x64xf32>
    %v1 = train.reshape %v0 : tensor<8x256x384xf32> to tensor<8x256x6x64xf32>
    %v = train.transpose %v1 [0, 2, 1, 3] : tensor<8x256x6x64xf32>
    %a = train.attention %q, %k, %v causal : tensor<8x6x256x64xf32>, tensor<8x6x256x64xf32>, tensor<8x6x256x64xf32>
    %a1 = train.transpose %a [0, 2, 1, 3] : tensor<8x6x256x64xf32>
    %a2 = train.reshape %a1 : tensor<8x256x6x64xf32> to tensor<8x256x384xf32>
    %a3 = train.linear %a2, %project_weight, %project_bias : tensor<8x256x384xf32>, tensor<384x384xf32>, tensor<384xf32>
    %x1 = train.add %x, %a3 : tensor<8x256x384xf32>, tensor<8x256x384xf32>
    %n2 = train.layer_norm %x1, %norm2_gamma, %norm2_beta eps 1.0e-5 : tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %u = train.linear %n2, %up_weight, %up_bias : tensor<8x256x384xf32>, tensor<384x1536xf32>, tensor<1536xf32>
    %h = train.gelu_tanh %u : tensor<8x256x1536xf32>
    %d = train.linear %h, %down_weight, %down_bias : tensor<8x256x1536xf32>, tensor<1536x384xf32>, tensor<384xf32>
    %y = train.add %x1, %d : tensor<8x256x384xf32>, tensor<8x256x384xf32>
    train.return %y : tensor<8x256x384xf32>
  }
  train.func @block_of_one(%x: tensor<1x256x384xf32>, %norm1_gamma: tensor<384xf32>, %norm1_beta: tensor<384xf32>, %qkv_weight: tensor<384x1152xf32>, %qkv_bias: tensor<1152xf32>, %project_weight: tensor<384x384xf32>, %project_bias: tensor<384xf32>, %norm2_gamma: tensor<384xf32>, %norm2_beta: tensor<384xf32>, %up_weight: tensor<384x1536xf32>, %up_bias: tensor<1536xf32>, %down_weight: tensor<1536x384xf32>, %down_bias: tensor<384xf32>) -> tensor<1x256x384xf32> {
    %n1 = train.layer_norm %x, %norm1_gamma, %norm1_beta eps 1.0e-5 : tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %qkv = train.linear %n1, %qkv_weight, %qkv_bias : tensor<1x256x384xf32>, tensor<384x1152xf32>, tensor<1152xf32>
    %q0, %k0, %v0 = train.split %qkv into [384, 384, 384] along 2 : tensor<1x256x1152xf32>
    %q1 = train.reshape %q0 : tensor<1x256x384xf32> to tensor<1x256x6x64xf32>
    %q = train.transpose %q1 [0, 2, 1, 3] : tensor<1x256x6x64xf32>
    %k1 = train.reshape %k0 : tensor<1x256x384xf32> to tensor<1x256x6x64xf32>
    %k = train.transpose %k1 [0, 2, 1, 3] : tensor<1x256x6x64xf32>
    %v1 = train.reshape %v0 : tensor<1x256x384xf32> to tensor<1x256x6x64xf32>
    %v = train.transpose %v1 [0, 2, 1, 3] : tensor<1x256x6x64xf32>
    %a = train.attention %q, %k, %v causal : tensor<1x6x256x64xf32>, tensor<1x6x256x64xf32>, tensor<1x6x256x64xf32>
    %a1 = train.transpose %a [0, 2, 1, 3] : tensor<1x6x256x64xf32>
    %a2 = train.reshape %a1 : tensor<1x256x6x64xf32> to tensor<1x256x384xf32>
    %a3 = train.linear %a2, %project_weight, %project_bias : tensor<1x256x384xf32>, tensor<384x384xf32>, tensor<384xf32>
    %x1 = train.add %x, %a3 : tensor<1x256x384xf32>, tensor<1x256x384xf32>
    %n2 = train.layer_norm %x1, %norm2_gamma, %norm2_beta eps 1.0e-5 : tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %u = train.linear %n2, %up_weight, %up_bias : tensor<1x256x384xf32>, tensor<384x1536xf32>, tensor<1536xf32>
    %h = train.gelu_tanh %u : tensor<1x256x1536xf32>
    %d = train.linear %h, %down_weight, %down_bias : tensor<1x256x1536xf32>, tensor<1536x384xf32>, tensor<384xf32>
    %y = train.add %x1, %d : tensor<1x256x384xf32>, tensor<1x256x384xf32>
    train.return %y : tensor<1x256x384xf32>
  }
  train.func @logits(%token: tensor<8x256xi32>) -> tensor<8x256x96xf32> {
    %te = train.read @token_embedding : tensor<96x384xf32>
    %pe = train.read @position_embedding : tensor<256x384xf32>
    %e = train.embedding %te at %token : tensor<96x384xf32>, tensor<8x256xi32>
    %x0 = train.add %e, %pe : tensor<8x256x384xf32>, tensor<256x384xf32>
    %norm1_gamma0 = train.read @block0.norm1.gamma : tensor<384xf32>
    %norm1_beta0 = train.read @block0.norm1.beta : tensor<384xf32>
    %qkv_weight0 = train.read @block0.qkv.weight : tensor<384x1152xf32>
    %qkv_bias0 = train.read @block0.qkv.bias : tensor<1152xf32>
    %project_weight0 = train.read @block0.project.weight : tensor<384x384xf32>
    %project_bias0 = train.read @block0.project.bias : tensor<384xf32>
    %norm2_gamma0 = train.read @block0.norm2.gamma : tensor<384xf32>
    %norm2_beta0 = train.read @block0.norm2.beta : tensor<384xf32>
    %up_weight0 = train.read @block0.up.weight : tensor<384x1536xf32>
    %up_bias0 = train.read @block0.up.bias : tensor<1536xf32>
    %down_weight0 = train.read @block0.down.weight : tensor<1536x384xf32>
    %down_bias0 = train.read @block0.down.bias : tensor<384xf32>
    %x1 = train.call @block(%x0, %norm1_gamma0, %norm1_beta0, %qkv_weight0, %qkv_bias0, %project_weight0, %project_bias0, %norm2_gamma0, %norm2_beta0, %up_weight0, %up_bias0, %down_weight0, %down_bias0) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block0")
    %norm1_gamma1 = train.read @block1.norm1.gamma : tensor<384xf32>
    %norm1_beta1 = train.read @block1.norm1.beta : tensor<384xf32>
    %qkv_weight1 = train.read @block1.qkv.weight : tensor<384x1152xf32>
    %qkv_bias1 = train.read @block1.qkv.bias : tensor<1152xf32>
    %project_weight1 = train.read @block1.project.weight : tensor<384x384xf32>
    %project_bias1 = train.read @block1.project.bias : tensor<384xf32>
    %norm2_gamma1 = train.read @block1.norm2.gamma : tensor<384xf32>
    %norm2_beta1 = train.read @block1.norm2.beta : tensor<384xf32>
    %up_weight1 = train.read @block1.up.weight : tensor<384x1536xf32>
    %up_bias1 = train.read @block1.up.bias : tensor<1536xf32>
    %down_weight1 = train.read @block1.down.weight : tensor<1536x384xf32>
    %down_bias1 = train.read @block1.down.bias : tensor<384xf32>
    %x2 = train.call @block(%x1, %norm1_gamma1, %norm1_beta1, %qkv_weight1, %qkv_bias1, %project_weight1, %project_bias1, %norm2_gamma1, %norm2_beta1, %up_weight1, %up_bias1, %down_weight1, %down_bias1) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block1")
    %norm1_gamma2 = train.read @block2.norm1.gamma : tensor<384xf32>
    %norm1_beta2 = train.read @block2.norm1.beta : tensor<384xf32>
    %qkv_weight2 = train.read @block2.qkv.weight : tensor<384x1152xf32>
    %qkv_bias2 = train.read @block2.qkv.bias : tensor<1152xf32>
    %project_weight2 = train.read @block2.project.weight : tensor<384x384xf32>
    %project_bias2 = train.read @block2.project.bias : tensor<384xf32>
    %norm2_gamma2 = train.read @block2.norm2.gamma : tensor<384xf32>
    %norm2_beta2 = train.read @block2.norm2.beta : tensor<384xf32>
    %up_weight2 = train.read @block2.up.weight : tensor<384x1536xf32>
    %up_bias2 = train.read @block2.up.bias : tensor<1536xf32>
    %down_weight2 = train.read @block2.down.weight : tensor<1536x384xf32>
    %down_bias2 = train.read @block2.down.bias : tensor<384xf32>
    %x3 = train.call @block(%x2, %norm1_gamma2, %norm1_beta2, %qkv_weight2, %qkv_bias2, %project_weight2, %project_bias2, %norm2_gamma2, %norm2_beta2, %up_weight2, %up_bias2, %down_weight2, %down_bias2) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block2")
    %norm1_gamma3 = train.read @block3.norm1.gamma : tensor<384xf32>
    %norm1_beta3 = train.read @block3.norm1.beta : tensor<384xf32>
    %qkv_weight3 = train.read @block3.qkv.weight : tensor<384x1152xf32>
    %qkv_bias3 = train.read @block3.qkv.bias : tensor<1152xf32>
    %project_weight3 = train.read @block3.project.weight : tensor<384x384xf32>
    %project_bias3 = train.read @block3.project.bias : tensor<384xf32>
    %norm2_gamma3 = train.read @block3.norm2.gamma : tensor<384xf32>
    %norm2_beta3 = train.read @block3.norm2.beta : tensor<384xf32>
    %up_weight3 = train.read @block3.up.weight : tensor<384x1536xf32>
    %up_bias3 = train.read @block3.up.bias : tensor<1536xf32>
    %down_weight3 = train.read @block3.down.weight : tensor<1536x384xf32>
    %down_bias3 = train.read @block3.down.bias : tensor<384xf32>
    %x4 = train.call @block(%x3, %norm1_gamma3, %norm1_beta3, %qkv_weight3, %qkv_bias3, %project_weight3, %project_bias3, %norm2_gamma3, %norm2_beta3, %up_weight3, %up_bias3, %down_weight3, %down_bias3) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block3")
    %norm1_gamma4 = train.read @block4.norm1.gamma : tensor<384xf32>
    %norm1_beta4 = train.read @block4.norm1.beta : tensor<384xf32>
    %qkv_weight4 = train.read @block4.qkv.weight : tensor<384x1152xf32>
    %qkv_bias4 = train.read @block4.qkv.bias : tensor<1152xf32>
    %project_weight4 = train.read @block4.project.weight : tensor<384x384xf32>
    %project_bias4 = train.read @block4.project.bias : tensor<384xf32>
    %norm2_gamma4 = train.read @block4.norm2.gamma : tensor<384xf32>
    %norm2_beta4 = train.read @block4.norm2.beta : tensor<384xf32>
    %up_weight4 = train.read @block4.up.weight : tensor<384x1536xf32>
    %up_bias4 = train.read @block4.up.bias : tensor<1536xf32>
    %down_weight4 = train.read @block4.down.weight : tensor<1536x384xf32>
    %down_bias4 = train.read @block4.down.bias : tensor<384xf32>
    %x5 = train.call @block(%x4, %norm1_gamma4, %norm1_beta4, %qkv_weight4, %qkv_bias4, %project_weight4, %project_bias4, %norm2_gamma4, %norm2_beta4, %up_weight4, %up_bias4, %down_weight4, %down_bias4) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block4")
    %norm1_gamma5 = train.read @block5.norm1.gamma : tensor<384xf32>
    %norm1_beta5 = train.read @block5.norm1.beta : tensor<384xf32>
    %qkv_weight5 = train.read @block5.qkv.weight : tensor<384x1152xf32>
    %qkv_bias5 = train.read @block5.qkv.bias : tensor<1152xf32>
    %project_weight5 = train.read @block5.project.weight : tensor<384x384xf32>
    %project_bias5 = train.read @block5.project.bias : tensor<384xf32>
    %norm2_gamma5 = train.read @block5.norm2.gamma : tensor<384xf32>
    %norm2_beta5 = train.read @block5.norm2.beta : tensor<384xf32>
    %up_weight5 = train.read @block5.up.weight : tensor<384x1536xf32>
    %up_bias5 = train.read @block5.up.bias : tensor<1536xf32>
    %down_weight5 = train.read @block5.down.weight : tensor<1536x384xf32>
    %down_bias5 = train.read @block5.down.bias : tensor<384xf32>
    %x6 = train.call @block(%x5, %norm1_gamma5, %norm1_beta5, %qkv_weight5, %qkv_bias5, %project_weight5, %project_bias5, %norm2_gamma5, %norm2_beta5, %up_weight5, %up_bias5, %down_weight5, %down_bias5) : (tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<8x256x384xf32> loc("block5")
    %gamma = train.read @norm.gamma : tensor<384xf32>
    %beta = train.read @norm.beta : tensor<384xf32>
    %n = train.layer_norm %x6, %gamma, %beta eps 1.0e-5 : tensor<8x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %w = train.read @output.weight : tensor<384x96xf32>
    %scores = train.linear %n, %w : tensor<8x256x384xf32>, tensor<384x96xf32>
    train.return %scores : tensor<8x256x96xf32>
  }
  train.func @logits_of_one(%token: tensor<1x256xi32>) -> tensor<1x256x96xf32> {
    %te = train.read @token_embedding : tensor<96x384xf32>
    %pe = train.read @position_embedding : tensor<256x384xf32>
    %e = train.embedding %te at %token : tensor<96x384xf32>, tensor<1x256xi32>
    %x0 = train.add %e, %pe : tensor<1x256x384xf32>, tensor<256x384xf32>
    %norm1_gamma0 = train.read @block0.norm1.gamma : tensor<384xf32>
    %norm1_beta0 = train.read @block0.norm1.beta : tensor<384xf32>
    %qkv_weight0 = train.read @block0.qkv.weight : tensor<384x1152xf32>
    %qkv_bias0 = train.read @block0.qkv.bias : tensor<1152xf32>
    %project_weight0 = train.read @block0.project.weight : tensor<384x384xf32>
    %project_bias0 = train.read @block0.project.bias : tensor<384xf32>
    %norm2_gamma0 = train.read @block0.norm2.gamma : tensor<384xf32>
    %norm2_beta0 = train.read @block0.norm2.beta : tensor<384xf32>
    %up_weight0 = train.read @block0.up.weight : tensor<384x1536xf32>
    %up_bias0 = train.read @block0.up.bias : tensor<1536xf32>
    %down_weight0 = train.read @block0.down.weight : tensor<1536x384xf32>
    %down_bias0 = train.read @block0.down.bias : tensor<384xf32>
    %x1 = train.call @block_of_one(%x0, %norm1_gamma0, %norm1_beta0, %qkv_weight0, %qkv_bias0, %project_weight0, %project_bias0, %norm2_gamma0, %norm2_beta0, %up_weight0, %up_bias0, %down_weight0, %down_bias0) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block0")
    %norm1_gamma1 = train.read @block1.norm1.gamma : tensor<384xf32>
    %norm1_beta1 = train.read @block1.norm1.beta : tensor<384xf32>
    %qkv_weight1 = train.read @block1.qkv.weight : tensor<384x1152xf32>
    %qkv_bias1 = train.read @block1.qkv.bias : tensor<1152xf32>
    %project_weight1 = train.read @block1.project.weight : tensor<384x384xf32>
    %project_bias1 = train.read @block1.project.bias : tensor<384xf32>
    %norm2_gamma1 = train.read @block1.norm2.gamma : tensor<384xf32>
    %norm2_beta1 = train.read @block1.norm2.beta : tensor<384xf32>
    %up_weight1 = train.read @block1.up.weight : tensor<384x1536xf32>
    %up_bias1 = train.read @block1.up.bias : tensor<1536xf32>
    %down_weight1 = train.read @block1.down.weight : tensor<1536x384xf32>
    %down_bias1 = train.read @block1.down.bias : tensor<384xf32>
    %x2 = train.call @block_of_one(%x1, %norm1_gamma1, %norm1_beta1, %qkv_weight1, %qkv_bias1, %project_weight1, %project_bias1, %norm2_gamma1, %norm2_beta1, %up_weight1, %up_bias1, %down_weight1, %down_bias1) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block1")
    %norm1_gamma2 = train.read @block2.norm1.gamma : tensor<384xf32>
    %norm1_beta2 = train.read @block2.norm1.beta : tensor<384xf32>
    %qkv_weight2 = train.read @block2.qkv.weight : tensor<384x1152xf32>
    %qkv_bias2 = train.read @block2.qkv.bias : tensor<1152xf32>
    %project_weight2 = train.read @block2.project.weight : tensor<384x384xf32>
    %project_bias2 = train.read @block2.project.bias : tensor<384xf32>
    %norm2_gamma2 = train.read @block2.norm2.gamma : tensor<384xf32>
    %norm2_beta2 = train.read @block2.norm2.beta : tensor<384xf32>
    %up_weight2 = train.read @block2.up.weight : tensor<384x1536xf32>
    %up_bias2 = train.read @block2.up.bias : tensor<1536xf32>
    %down_weight2 = train.read @block2.down.weight : tensor<1536x384xf32>
    %down_bias2 = train.read @block2.down.bias : tensor<384xf32>
    %x3 = train.call @block_of_one(%x2, %norm1_gamma2, %norm1_beta2, %qkv_weight2, %qkv_bias2, %project_weight2, %project_bias2, %norm2_gamma2, %norm2_beta2, %up_weight2, %up_bias2, %down_weight2, %down_bias2) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block2")
    %norm1_gamma3 = train.read @block3.norm1.gamma : tensor<384xf32>
    %norm1_beta3 = train.read @block3.norm1.beta : tensor<384xf32>
    %qkv_weight3 = train.read @block3.qkv.weight : tensor<384x1152xf32>
    %qkv_bias3 = train.read @block3.qkv.bias : tensor<1152xf32>
    %project_weight3 = train.read @block3.project.weight : tensor<384x384xf32>
    %project_bias3 = train.read @block3.project.bias : tensor<384xf32>
    %norm2_gamma3 = train.read @block3.norm2.gamma : tensor<384xf32>
    %norm2_beta3 = train.read @block3.norm2.beta : tensor<384xf32>
    %up_weight3 = train.read @block3.up.weight : tensor<384x1536xf32>
    %up_bias3 = train.read @block3.up.bias : tensor<1536xf32>
    %down_weight3 = train.read @block3.down.weight : tensor<1536x384xf32>
    %down_bias3 = train.read @block3.down.bias : tensor<384xf32>
    %x4 = train.call @block_of_one(%x3, %norm1_gamma3, %norm1_beta3, %qkv_weight3, %qkv_bias3, %project_weight3, %project_bias3, %norm2_gamma3, %norm2_beta3, %up_weight3, %up_bias3, %down_weight3, %down_bias3) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block3")
    %norm1_gamma4 = train.read @block4.norm1.gamma : tensor<384xf32>
    %norm1_beta4 = train.read @block4.norm1.beta : tensor<384xf32>
    %qkv_weight4 = train.read @block4.qkv.weight : tensor<384x1152xf32>
    %qkv_bias4 = train.read @block4.qkv.bias : tensor<1152xf32>
    %project_weight4 = train.read @block4.project.weight : tensor<384x384xf32>
    %project_bias4 = train.read @block4.project.bias : tensor<384xf32>
    %norm2_gamma4 = train.read @block4.norm2.gamma : tensor<384xf32>
    %norm2_beta4 = train.read @block4.norm2.beta : tensor<384xf32>
    %up_weight4 = train.read @block4.up.weight : tensor<384x1536xf32>
    %up_bias4 = train.read @block4.up.bias : tensor<1536xf32>
    %down_weight4 = train.read @block4.down.weight : tensor<1536x384xf32>
    %down_bias4 = train.read @block4.down.bias : tensor<384xf32>
    %x5 = train.call @block_of_one(%x4, %norm1_gamma4, %norm1_beta4, %qkv_weight4, %qkv_bias4, %project_weight4, %project_bias4, %norm2_gamma4, %norm2_beta4, %up_weight4, %up_bias4, %down_weight4, %down_bias4) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block4")
    %norm1_gamma5 = train.read @block5.norm1.gamma : tensor<384xf32>
    %norm1_beta5 = train.read @block5.norm1.beta : tensor<384xf32>
    %qkv_weight5 = train.read @block5.qkv.weight : tensor<384x1152xf32>
    %qkv_bias5 = train.read @block5.qkv.bias : tensor<1152xf32>
    %project_weight5 = train.read @block5.project.weight : tensor<384x384xf32>
    %project_bias5 = train.read @block5.project.bias : tensor<384xf32>
    %norm2_gamma5 = train.read @block5.norm2.gamma : tensor<384xf32>
    %norm2_beta5 = train.read @block5.norm2.beta : tensor<384xf32>
    %up_weight5 = train.read @block5.up.weight : tensor<384x1536xf32>
    %up_bias5 = train.read @block5.up.bias : tensor<1536xf32>
    %down_weight5 = train.read @block5.down.weight : tensor<1536x384xf32>
    %down_bias5 = train.read @block5.down.bias : tensor<384xf32>
    %x6 = train.call @block_of_one(%x5, %norm1_gamma5, %norm1_beta5, %qkv_weight5, %qkv_bias5, %project_weight5, %project_bias5, %norm2_gamma5, %norm2_beta5, %up_weight5, %up_bias5, %down_weight5, %down_bias5) : (tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1152xf32>, tensor<1152xf32>, tensor<384x384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384x1536xf32>, tensor<1536xf32>, tensor<1536x384xf32>, tensor<384xf32>) -> tensor<1x256x384xf32> loc("block5")
    %gamma = train.read @norm.gamma : tensor<384xf32>
    %beta = train.read @norm.beta : tensor<384xf32>
    %n = train.layer_norm %x6, %gamma, %beta eps 1.0e-5 : tensor<1x256x384xf32>, tensor<384xf32>, tensor<384xf32>
    %w = train.read @output.weight : tensor<384x96xf32>
    %scores = train.linear %n, %w : tensor<1x256x384xf32>, tensor<384x96xf32>
    train.return %scores : tensor<1x256x96xf32>
  }
  train.func @loss(%token: tensor<8x256xi32>, %next: tensor<8x256xi32>) -> tensor<f32> {
    %scores = train.call @logits(%token) : (tensor<8x256xi32>) -> tensor<8x256x96xf32>
    %loss = train.softmax_cross_entropy %scores, %next ignore -1 : tensor<8x256x96xf32>, tensor<8x256xi32>
    train.return %loss : tensor<f32>
  }
  train.step @fit minimize @loss over [@token_embedding, @position_embedding, @block0.norm1.gamma, @block0.norm1.beta, @block0.qkv.weight, @block0.qkv.bias, @block0.project.weight, @block0.project.bias, @block0.norm2.gamma, @block0.norm2.beta, @block0.up.weight, @block0.up.bias, @block0.down.weight, @block0.down.bias, @block1.norm1.gamma, @block1.norm1.beta, @block1.qkv.weight, @block1.qkv.bias, @block1.project.weight, @block1.project.bias, @block1.norm2.gamma, @block1.norm2.beta, @block1.up.weight, @block1.up.bias, @block1.down.weight, @block1.down.bias, @block2.norm1.gamma, @block2.norm1.beta, @block2.qkv.weight, @block2.qkv.bias, @block2.project.weight, @block2.project.bias, @block2.norm2.gamma, @block2.norm2.beta, @block2.up.weight, @block2.up.bias, @block2.down.weight, @block2.down.bias, @block3.norm1.gamma, @block3.norm1.beta, @block3.qkv.weight, @block3.qkv.bias, @block3.project.weight, @block3.project.bias, @block3.norm2.gamma, @block3.norm2.beta, @block3.up.weight, @block3.up.bias, @block3.down.weight, @block3.down.bias, @block4.norm1.gamma, @block4.norm1.beta, @block4.qkv.weight, @block4.qkv.bias, @block4.project.weight, @block4.project.bias, @block4.norm2.gamma, @block4.norm2.beta, @block4.up.weight, @block4.up.bias, @block4.down.weight, @block4.down.bias, @block5.norm1.gamma, @block5.norm1.beta, @block5.qkv.weight, @block5.qkv.bias, @block5.project.weight, @block5.project.bias, @block5.norm2.gamma, @block5.norm2.beta, @block5.up.weight, @block5.up.bias, @block5.down.weight, @block5.down.bias, @norm.gamma, @norm.beta, @output.weight]
    with #train.adamw<lr = 1.0e-03, beta2 = 0.99, weight_decay = 0.1>
    schedule #train.cosine<steps = 5000, warmup = 100, floor = 0.05> {clip_norm = 1.0}
  train.export @logits_of_one as "predict"
}
