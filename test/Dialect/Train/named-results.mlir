// Names of results where a function returns them: as text, in full, and in the programs of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-strip-origins | FileCheck %s --check-prefix=STEP
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-expand-step --train-strip-origins | FileCheck %s --check-prefix=TRAIN

train.model @m(batch = 4) {
  train.param @w : f32[3] = #train.ones
  // CHECK-LABEL: train.func @loss
  // CHECK-SAME:  -> (tensor<f32>, tensor<f32> {train.is = #train.output<named, name = "fit">}, tensor<f32> {train.is = #train.output<named, name = "size">})
  // CHECK:       train.return %{{.*}}, %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>, tensor<f32>
  train.func @loss(%x: f32[batch, 3]) {
    %p = train.mul %x, %w
    %fit = train.reduce_mean %p over [0, 1]
    %size = train.reduce_sum %w over [0]
    %total = train.add %fit, %size
    train.return %total, %fit as "fit", %size as "size"
  }
  // CHECK-LABEL: train.func @scores
  // CHECK-SAME:  -> (tensor<4x3xf32> {train.is = #train.output<named, name = "scores">}, tensor<4x3xf32>)
  train.func @scores(%x: f32[batch, 3]) {
    %p = train.mul %x, %w
    train.return %p as "scores", %x : f32[batch, 3], f32[batch, 3]
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1> {micro_batches = 2}
  train.export @scores as "predict"
}

// STEP-LABEL: train.func @fit.loss
// STEP-SAME:  -> (tensor<f32> {train.is = #train.output<loss>}, tensor<f32> {train.is = #train.output<named, name = "fit">}, tensor<f32> {train.is = #train.output<named, name = "size">})
// STEP-LABEL: train.func @fit.eval
// STEP-SAME:  #train.output<loss>{{.*}}name = "fit"{{.*}}name = "size"
// STEP-LABEL: train.func @export.predict
// STEP-SAME:  name = "scores", batch = 0

// The update has no names any more; the parts are added up.
// TRAIN-LABEL: train.func @fit.train
// TRAIN-SAME:  #train.output<loss>{{.*}}name = "fit"{{.*}}name = "size"
// TRAIN-LABEL: train.func @fit.apply
// TRAIN-NOT:   name = "fit"
// TRAIN-LABEL: train.func @fit.eval
