// RUN: %ampc-opt %s --train-name-ops --train-instantiate --canonicalize --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean leaves out rows of the ignored class, which may be negative.

train.model @m {
  train.param @w : tensor<4x3xf32> = #train.zeros {frozen}
  train.func @loss(%label: tensor<4xi32>) -> tensor<f32> {
    %w = train.read @w : tensor<4x3xf32>
    %0 = train.softmax_cross_entropy %w, %label ignore -1 : tensor<4x3xf32>, tensor<4xi32>
    train.return %0 : tensor<f32>
  }
  train.export @loss as "loss"
}

// CHECK-LABEL: train.func @export.loss
// CHECK:       [[IGNORED:%.*]] = train.constant dense<-1> : tensor<i32>
// CHECK:       train.compare ne {{%.*}}, [[IGNORED]] : tensor<4xi32>, tensor<i32>
