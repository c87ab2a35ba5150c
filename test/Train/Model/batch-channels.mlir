// A batch that is the gain or the bias of a norm has no rows in the norm's result, although the batch has a multiple of the batch's length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-expand-modules --train-name-ops --train-instantiate | FileCheck %s

train.model @m {
  // CHECK: train.func @export.group({{.*}}"gain", batch = 0{{.*}} -> (tensor<6x5x3xf32> {train.is = #train.output<named, name = "out">})
  train.func @group(%gain: tensor<3xf32> {train.is = #train.input<"gain", batch = 0>},
                    %x: tensor<6x5x3xf32> {train.is = #train.input<"x">}, %bias: tensor<3xf32> {train.is = #train.input<"bias">}) -> tensor<6x5x3xf32> {
    %y = train.group_norm %x, %gain, %bias groups 1 eps 1.0e-5 : tensor<6x5x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.return %y : tensor<6x5x3xf32>
  }
  train.export @group as "group"

  // CHECK: train.func @export.instance({{.*}}"bias", batch = 0{{.*}} -> (tensor<6x5x3xf32> {train.is = #train.output<named, name = "out">})
  train.func @instance(%bias: tensor<3xf32> {train.is = #train.input<"bias", batch = 0>},
                       %x: tensor<6x5x3xf32> {train.is = #train.input<"x">}, %gain: tensor<3xf32> {train.is = #train.input<"gain">}) -> tensor<6x5x3xf32> {
    %y = train.instance_norm %x, %gain, %bias eps 1.0e-5 : tensor<6x5x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.return %y : tensor<6x5x3xf32>
  }
  train.export @instance as "instance"

  // The batch of x has rows there.
  // CHECK: train.func @export.rows({{.*}}"x", batch = 0{{.*}} -> (tensor<6x5x3xf32> {train.is = #train.output<named, name = "out", batch = 0>})
  // CHECK-SAME: short_batch
  train.func @rows(%x: tensor<6x5x3xf32> {train.is = #train.input<"x", batch = 0>}, %gain: tensor<3xf32> {train.is = #train.input<"gain">},
                   %bias: tensor<3xf32> {train.is = #train.input<"bias">}) -> tensor<6x5x3xf32> {
    %y = train.group_norm %x, %gain, %bias groups 1 eps 1.0e-5 : tensor<6x5x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.return %y : tensor<6x5x3xf32>
  }
  train.export @rows as "rows"
}
