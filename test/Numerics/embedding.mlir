// RUN: ampc check %s --also=bf16,f16
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loss leaves out the padding row, because that row gets no gradient.
train.model @check {
  train.param @table : tensor<7x5xf32> = #train.normal<mean = 0.0, std = 1.0>
  train.func @loss(%i: tensor<13xi32>, %weight: tensor<13x5xf32>) -> tensor<f32> {
    %table = train.read @table : tensor<7x5xf32>
    %zero = train.constant dense<0> : tensor<i32>
    %m = train.compare ne %i, %zero : tensor<13xi32>, tensor<i32>
    %c = train.reshape %m : tensor<13xi1> to tensor<13x1xi1>
    %0 = train.embedding %table at %i padding 0 : tensor<7x5xf32>, tensor<13xi32>
    %rows = train.constant dense<7> : tensor<i32>
    %j = train.sub %i, %rows : tensor<13xi32>, tensor<i32>
    %last = train.embedding %table at %j padding -7 from_end : tensor<7x5xf32>, tensor<13xi32>
    %both = train.mul %0, %last : tensor<13x5xf32>, tensor<13x5xf32>
    %1 = train.sin %both : tensor<13x5xf32>
    %none = train.constant dense<0.0> : tensor<f32>
    %y = train.select %c, %1, %none : tensor<13x1xi1>, tensor<13x5xf32>, tensor<f32>
    %weighted = train.mul %y, %weight : tensor<13x5xf32>, tensor<13x5xf32>
    %total = train.reduce_sum %weighted over [0, 1] : tensor<13x5xf32>
    train.return %total : tensor<f32>
  }
  train.step @over_table minimize @loss over [@table] with #train.sgd<lr = 0.1>
}
