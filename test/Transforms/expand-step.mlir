// RUN: %ampc-opt %s --train-instantiate --train-autodiff --train-expand-step --canonicalize --cse --split-input-file | FileCheck %s

// Momentum, weight decay and the learning rate's factor. The gradient function stores what apply reads.
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
// CHECK:       train.buffer @fit.step : tensor<i64> = #train.zeros {role = "step"}
// CHECK:       train.buffer @fit.momentum.w : tensor<3xf32> = #train.zeros {role = "moment"}
// CHECK:       train.buffer @fit.gradient.w : tensor<3xf32> = #train.zeros {role = "gradient"}
// CHECK-NOT:   train.step
// CHECK-LABEL: train.func @fit.grad
// CHECK-SAME:  -> (tensor<f32> {train.name = "loss"}, tensor<3xf32> {train.slot = "fit.gradient.w"})
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  [[W:%[a-z0-9]+]]: tensor<3xf32> {train.slot = "w"}, [[STEP:%[a-z0-9]+]]: tensor<i64> {train.slot = "fit.step"}, [[M:%[a-z0-9]+]]: tensor<3xf32> {train.slot = "fit.momentum.w"}
// CHECK-SAME:  [[FACTOR:%[a-z0-9]+]]: tensor<f32> {train.control = "lr_factor"}
// CHECK:       [[G:%[a-z0-9]+]] = train.gradient "w"
// CHECK:       [[NEXT:%[a-z0-9]+]] = train.add [[STEP]],
// CHECK:       [[LR:%[a-z0-9]+]] = train.mul [[FACTOR]],
// CHECK:       [[DECAY:%[a-z0-9]+]] = train.mul [[W]],
// CHECK:       [[GD:%[a-z0-9]+]] = train.add [[G]], [[DECAY]]
// CHECK:       [[KEPT:%[a-z0-9]+]] = train.mul [[M]],
// CHECK:       [[V:%[a-z0-9]+]] = train.add [[KEPT]], [[GD]]
// CHECK:       [[DELTA:%[a-z0-9]+]] = train.mul [[LR]], [[V]]
// CHECK:       [[NEW:%[a-z0-9]+]] = train.sub [[W]], [[DELTA]]
// CHECK:       train.return {{%.*}}, [[NEW]], [[V]], [[NEXT]]
// CHECK-LABEL: train.func @fit.apply
// CHECK-SAME:  tensor<3xf32> {train.slot = "fit.gradient.w"}

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
// CHECK:       train.buffer @fit.ema.w : tensor<3xf32> = #train.zeros {role = "ema"}
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  tensor<f32> {train.name = "grad_norm"}
// CHECK:       [[GW:%[a-z0-9]+]] = train.gradient "w"
// CHECK:       [[GB:%[a-z0-9]+]] = train.gradient "b"
// CHECK:       [[SW:%[a-z0-9]+]] = train.reduce_sum {{%.*}} over [0]
// CHECK:       [[SUM:%[a-z0-9]+]] = train.add [[SW]],
// CHECK:       [[NORM:%[a-z0-9]+]] = train.sqrt [[SUM]]
// CHECK:       [[FACTOR:%[a-z0-9]+]] = train.select
// CHECK:       train.mul [[GW]], [[FACTOR]]
// CHECK:       train.mul [[GB]], [[FACTOR]]
// CHECK:       train.cos
// CHECK:       train.return {{%.*}}, [[NORM]],
