// A model that is finite for the test's data only, with inputs of several types. BATCH becomes a number in the test, STEP the attributes of the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @exact {
  train.param @table : tensor<200x4xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.param @w : tensor<9x20xf32> = #train.normal<mean = 0.0, std = 0.3>
  train.param @g : tensor<20xf32> = #train.ones
  train.param @b : tensor<20xf32> = #train.zeros
  train.param @out : tensor<20x5xf32> = #train.normal<mean = 0.0, std = 0.3>
  train.buffer @mean : tensor<20xf32> = #train.zeros
  train.buffer @variance : tensor<20xf32> = #train.ones
  train.func @words(%word: tensor<BATCHx3xi32>) -> tensor<BATCHx3x4xf32> {
    %table = train.read @table : tensor<200x4xf32>
    %0 = train.embedding %table at %word : tensor<200x4xf32>, tensor<BATCHx3xi32>
    train.return %0 : tensor<BATCHx3x4xf32>
  }
  train.func @scores(%x: tensor<BATCHx5xf32>, %word: tensor<BATCHx3xi32>) -> (tensor<BATCHx5xf32>, tensor<5x5xf32>) {
    %w = train.read @w : tensor<9x20xf32>
    %g = train.read @g : tensor<20xf32>
    %b = train.read @b : tensor<20xf32>
    %out = train.read @out : tensor<20x5xf32>
    %0 = train.log %x : tensor<BATCHx5xf32>
    %1 = train.rsqrt %x : tensor<BATCHx5xf32>
    %2 = train.div %0, %x : tensor<BATCHx5xf32>, tensor<BATCHx5xf32>
    %3 = train.add %1, %2 : tensor<BATCHx5xf32>, tensor<BATCHx5xf32>
    %4 = train.call @words(%word) : (tensor<BATCHx3xi32>) -> tensor<BATCHx3x4xf32>
    %5 = train.reduce_sum %4 over [1] : tensor<BATCHx3x4xf32>
    %6 = train.concat %3, %5 along 1 : tensor<BATCHx5xf32>, tensor<BATCHx4xf32>
    %7 = train.linear %6, %w, %b : tensor<BATCHx9xf32>, tensor<9x20xf32>, tensor<20xf32>
    %8 = train.batch_norm %7, %g, %b running @mean, @variance momentum 0.1 eps 1.0e-3 : tensor<BATCHx20xf32>, tensor<20xf32>, tensor<20xf32>
    %9 = train.gelu %8 : tensor<BATCHx20xf32>
    %10 = train.linear %9, %out : tensor<BATCHx20xf32>, tensor<20x5xf32>
    %11 = train.matmul %out, %out transpose_lhs : (tensor<20x5xf32>, tensor<20x5xf32>) -> tensor<5x5xf32>
    train.return %10, %11 : tensor<BATCHx5xf32>, tensor<5x5xf32>
  }
  train.func @loss(%x: tensor<BATCHx5xf32>, %word: tensor<BATCHx3xi32>, %label: tensor<BATCHxi32>) -> tensor<f32> {
    %0, %1 = train.call @scores(%x, %word) : (tensor<BATCHx5xf32>, tensor<BATCHx3xi32>) -> (tensor<BATCHx5xf32>, tensor<5x5xf32>)
    %2 = train.softmax_cross_entropy %0, %label ignore -1 : tensor<BATCHx5xf32>, tensor<BATCHxi32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@table, @w, @g, @b, @out] with #train.sgd<lr = 0.1> STEP
  train.export @scores as "predict"
  train.export @words as "look_up"
}
