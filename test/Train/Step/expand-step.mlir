// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-expand-step --train-simplify --split-input-file --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-autodiff --train-expand-step --train-expand-updates --train-simplify --split-input-file --train-strip-origins | FileCheck %s --check-prefix=RULE
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Momentum, weight decay and the learning rate's factor. The gradient function stores the tensors that apply reads.
train.model @momentum {
  train.param @w : tensor<3xf32> = #train.ones
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %0 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<3xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.5, momentum = 0.9, weight_decay = 0.25>
}
// CHECK-LABEL: train.model @momentum
// CHECK:       train.buffer @fit.step : tensor<i64> = #train.zeros as step
// CHECK:       train.buffer @fit.momentum.w : tensor<3xf32> = #train.zeros as moment
// CHECK:       train.buffer @fit.gradient.w : tensor<3xf32> = #train.zeros as gradient
// CHECK-NOT:   train.step
// CHECK-LABEL: train.func @fit.grad
// CHECK-SAME:  -> (tensor<f32> {train.is = #train.output<loss>}, tensor<3xf32> {train.is = #train.state<@fit.gradient.w>})
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  [[W:%[a-z0-9]+]]: tensor<3xf32> {train.is = #train.state<@w>}, [[STEP:%[a-z0-9]+]]: tensor<i64> {train.is = #train.state<@fit.step>}, [[M:%[a-z0-9]+]]: tensor<3xf32> {train.is = #train.state<@fit.momentum.w>}
// CHECK-SAME:  [[FACTOR:%[a-z0-9]+]]: tensor<f32> {train.is = #train.control<lr_factor>}
// CHECK:       [[G:%[a-z0-9]+]] = train.gradient @w
// CHECK:       [[NEXT:%[a-z0-9]+]] = train.add [[STEP]],
// CHECK:       [[LR:%[a-z0-9]+]] = train.mul [[FACTOR]],
// CHECK:       [[NEW:%[a-z_]+]], [[V:%[a-z_]+]] = train.update [[W]] by #train.sgd<lr = 5.000000e-01, momentum = 9.000000e-01, weight_decay = 2.500000e-01> from [[G]] moments([[M]]) count [[STEP]] rate [[LR]] : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i64>, tensor<f32>
// CHECK:       train.return {{%.*}}, [[NEW]], [[V]], [[NEXT]]
// CHECK-LABEL: train.func @fit.apply
// CHECK-SAME:  tensor<3xf32> {train.is = #train.state<@fit.gradient.w>}

// The expansion of the update.
// RULE-LABEL: train.func @fit.train
// RULE-SAME:  [[W:%[a-z0-9]+]]: tensor<3xf32> {train.is = #train.state<@w>}, [[STEP:%[a-z0-9]+]]: tensor<i64> {train.is = #train.state<@fit.step>}, [[M:%[a-z0-9]+]]: tensor<3xf32> {train.is = #train.state<@fit.momentum.w>}
// RULE-SAME:  [[FACTOR:%[a-z0-9]+]]: tensor<f32> {train.is = #train.control<lr_factor>}
// RULE:       [[G:%[a-z0-9]+]] = train.gradient @w
// RULE:       [[NEXT:%[a-z0-9]+]] = train.add [[STEP]],
// RULE:       [[LR:%[a-z0-9]+]] = train.mul [[FACTOR]],
// RULE:       [[DECAY:%[a-z0-9]+]] = train.mul [[W]],
// RULE:       [[GD:%[a-z0-9]+]] = train.add [[G]], [[DECAY]]
// RULE:       [[KEPT:%[a-z0-9]+]] = train.mul [[M]],
// RULE:       [[V:%[a-z0-9]+]] = train.add [[KEPT]], [[GD]]
// RULE:       [[DELTA:%[a-z0-9]+]] = train.mul [[LR]], [[V]]
// RULE:       [[NEW:%[a-z0-9]+]] = train.sub [[W]], [[DELTA]]
// RULE:       train.return {{%.*}}, [[NEW]], [[V]], [[NEXT]]

// -----

// The norm over all gradients is reported, and clips before the update.
train.model @clipped {
  train.param @w : tensor<3xf32> = #train.ones
  train.param @b : tensor<f32> = #train.zeros
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %b = train.read @b : tensor<f32>
    %0 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
    %1 = train.reduce_sum %0 over [0] : tensor<3xf32>
    %2 = train.mul %1, %b : tensor<f32>, tensor<f32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 0.5>
    schedule #train.cosine<steps = 100, warmup = 10> {clip_norm = 1.0, ema_decay = 0.99}
}
// CHECK-LABEL: train.model @clipped
// CHECK:       train.buffer @fit.ema.w : tensor<3xf32> = #train.zeros as ema
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  tensor<f32> {train.is = #train.output<norm>}, tensor<f32> {train.is = #train.output<rate>}
// CHECK:       [[TINY:%[a-z0-9_]+]] = train.constant dense<9.99999997E-7> : tensor<f32>
// CHECK:       [[GW:%[a-z0-9]+]] = train.gradient @w
// CHECK:       [[GB:%[a-z0-9]+]] = train.gradient @b
// CHECK:       [[SW:%[a-z0-9]+]] = train.reduce_sum {{%.*}} over [0]
// CHECK:       [[SUM:%[a-z0-9]+]] = train.add [[SW]],
// CHECK:       [[ROOT:%[a-z0-9]+]] = train.sqrt [[SUM]] : tensor<f64>
// CHECK:       [[NORM:%[a-z0-9]+]] = train.cast [[ROOT]] {{.*}}: tensor<f64> to tensor<f32>
// CHECK:       [[SHIFTED:%[a-z0-9]+]] = train.add [[NORM]], [[TINY]]
// CHECK:       [[QUOTIENT:%[a-z0-9]+]] = train.div {{%.*}}, [[SHIFTED]]
// Where f32 does not hold the norm the factor is f64.
// CHECK:       [[WIDE:%[a-z0-9]+]] = train.div {{%.*}}, [[ROOT]] : tensor<f64>, tensor<f64>
// CHECK:       [[EXACT:%[a-z0-9]+]] = train.cast [[WIDE]] {{.*}}: tensor<f64> to tensor<f32>
// CHECK:       [[BEYOND:%[a-z0-9]+]] = train.compare gt [[ROOT]],
// CHECK:       [[ANY:%[a-z0-9]+]] = train.select [[BEYOND]], [[EXACT]], [[QUOTIENT]]
// CHECK:       [[FACTOR:%[a-z0-9]+]] = train.select {{%.*}}, [[ANY]],
// CHECK:       [[CW:%[a-z0-9]+]] = train.mul [[GW]], [[FACTOR]]
// CHECK:       [[CB:%[a-z0-9]+]] = train.mul [[GB]], [[FACTOR]]
// CHECK:       train.cos
// CHECK:       [[SCHEDULED:%[a-z0-9]+]] = train.mul %{{.*}}, %{{.*}}
// CHECK:       train.update {{.*}} from [[CW]] count {{.*}} rate [[RATE:%[a-z0-9]+]] :
// CHECK:       train.update {{.*}} from [[CB]] count {{.*}} rate [[RATE]] :
// CHECK:       train.return {{%.*}}, [[NORM]], [[RATE]],

// -----

// A group has a separate rule and separate moments; schedule and step counter belong to the step.
train.model @groups {
  train.param @w : tensor<3xf32> = #train.ones
  train.param @b : tensor<3xf32> = #train.zeros
  train.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<3xf32>
    %b = train.read @b : tensor<3xf32>
    %0 = train.mul %x, %w : tensor<3xf32>, tensor<3xf32>
    %1 = train.mul %0, %b : tensor<3xf32>, tensor<3xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<3xf32>
    train.return %2 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @b] with #train.sgd<lr = 5.000000e-01, momentum = 9.000000e-01>
    groups [#train.group<params = [@b], optimizer = #train.adagrad<lr = 2.500000e-01>>] schedule #train.linear_warmup<warmup = 10>
}
// CHECK-LABEL: train.model @groups
// CHECK:       train.buffer @fit.momentum.w
// CHECK-NOT:   @fit.momentum.b
// CHECK:       train.buffer @fit.[[SUM:[a-z_]+]].b : tensor<3xf32> = #train.zeros as moment
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  groups = [#train.group<params = [@b], optimizer = #train.adagrad<lr = 2.500000e-01>>]
// CHECK-DAG:   [[HALF:%[a-z0-9_]+]] = train.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:   [[QUARTER:%[a-z0-9_]+]] = train.constant dense<2.500000e-01> : tensor<f32>
// CHECK:       [[RATE_W:%[a-z0-9]+]] = train.mul {{%[a-z0-9]+}}, [[HALF]] :
// CHECK:       [[LR_W:%[a-z0-9]+]] = train.mul [[RATE_W]],
// CHECK:       train.update {{.*}} by #train.sgd{{.*}} rate [[LR_W]] :
// CHECK:       [[RATE_B:%[a-z0-9]+]] = train.mul {{%[a-z0-9]+}}, [[QUARTER]] :
// CHECK:       [[LR_B:%[a-z0-9]+]] = train.mul [[RATE_B]],
// CHECK:       train.update {{.*}} by #train.adagrad{{.*}} rate [[LR_B]] :

// -----

// Moments of matrices are of rows and columns, or differ from moments of vectors; Muon's update of a matrix stays whole until the products have a type.
train.model @matrices {
  train.param @w : tensor<2x4x3xf32> = #train.ones
  train.param @k : tensor<4x2x3xf32> = #train.ones
  train.param @b : tensor<3xf32> = #train.zeros
  train.func @loss(%x: tensor<4x2x3xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<2x4x3xf32>
    %k = train.read @k : tensor<4x2x3xf32>
    %b = train.read @b : tensor<3xf32>
    %0 = train.mul %x, %k : tensor<4x2x3xf32>, tensor<4x2x3xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<4x2x3xf32>
    %2 = train.reduce_sum %w over [0, 1] : tensor<2x4x3xf32>
    %3 = train.mul %1, %2 : tensor<3xf32>, tensor<3xf32>
    %4 = train.mul %3, %b : tensor<3xf32>, tensor<3xf32>
    %5 = train.reduce_sum %4 over [0] : tensor<3xf32>
    train.return %5 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w, @k, @b] with #train.muon<lr = 0.5, iterations = 2>
    groups [#train.group<params = [@w], optimizer = #train.adafactor<lr = 0.25>>]
}
// CHECK-LABEL: train.model @matrices
// CHECK:       train.buffer @fit.v_row.w : tensor<2x4x1xf32> = #train.zeros as moment
// CHECK:       train.buffer @fit.v_column.w : tensor<2x1x3xf32> = #train.zeros as moment
// CHECK:       train.buffer @fit.momentum.k : tensor<4x2x3xf32> = #train.zeros as moment
// CHECK:       train.buffer @fit.m.b : tensor<3xf32> = #train.zeros as moment
// CHECK:       train.buffer @fit.v.b : tensor<3xf32> = #train.zeros as moment
// RULE-LABEL:  train.func @fit.train
// RULE-NOT:    train.matmul
// RULE:        train.update %{{.*}} by #train.muon<{{.*}} : tensor<4x2x3xf32>
// RULE-NOT:    train.update
// RULE-NOT:    train.matmul
// RULE:        train.return
