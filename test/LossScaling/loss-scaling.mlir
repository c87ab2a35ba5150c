// Positions where the scale enters and leaves a step, and ops that the predicate guards.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision="precision=f16" --train-simplify --amp-insert-loss-scaling --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --split-input-file --train-name-ops --train-instantiate --train-autodiff --train-simplify --train-expand-step --train-simplify --amp-assign-precision="precision=bf16" --train-simplify --amp-insert-loss-scaling --train-strip-origins 2>&1 | FileCheck %s --check-prefix=BF16

// BF16: remark: no loss scaling for step @fit: no f16 value lies between loss and gradients
// BF16-NOT: amp.unscale
// BF16-NOT: fit.scale

train.model @line {
  amp.scaler @own = #amp.scaling<initial = 128.0, interval = 1>
  train.param @w : tensor<16x8xf32> = #train.kaiming_uniform
  train.buffer @mean : tensor<8xf32> = #train.zeros
  train.func @loss(%x: tensor<32x16xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<16x8xf32>
    %0 = train.matmul %x, %w : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %1 = train.tanh %0 : tensor<32x8xf32>
    %2 = train.reduce_sum %1 over [0] : tensor<32x8xf32>
    train.write @mean, %2 : tensor<8xf32>
    %3 = train.reduce_sum %1 over [0, 1] : tensor<32x8xf32>
    train.return %3 : tensor<f32>
  }
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 0.1, momentum = 0.9> {clip_norm = 1.0, amp.scaler = @own}
}
// CHECK-LABEL: train.model @line
// CHECK-DAG:   train.buffer @own.scale : tensor<f32> = #train.fill<1.280000e+02> as scale
// CHECK-DAG:   train.buffer @own.good_steps : tensor<i32> = #train.fill<0.000000e+00> as scale

// Gradients are stored unscaled; a buffer of the model keeps the old value if gradients overflowed.
// CHECK-LABEL: train.func @fit.grad
// CHECK-SAME:  %[[MEAN:[a-z0-9]+]]: tensor<8xf32> {train.is = #train.state<@mean>}
// CHECK:       amp.mark_scaled
// CHECK:       %[[G:.*]], %[[COUNT:.*]] = amp.unscale
// CHECK:       %[[BAD:.*]] = train.compare ne %[[COUNT]],
// CHECK:       train.select %[[BAD]], %[[MEAN]],
// CHECK-NOT:   amp.update_scale

// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[W:[a-z0-9]+]]: tensor<16x8xf32> {train.is = #train.state<@w>}
// CHECK-SAME:  %[[STEP:[a-z0-9]+]]: tensor<i64> {train.is = #train.state<@fit.step>}
// CHECK-SAME:  %[[M:[a-z0-9]+]]: tensor<16x8xf32> {train.is = #train.state<@fit.momentum.w>}
// CHECK-SAME:  %[[S:[a-z0-9]+]]: tensor<f32> {train.is = #train.state<@own.scale>}
// CHECK-SAME:  amp.scale = @own.scale
// CHECK:       %[[SEED:.*]] = train.seed
// CHECK:       train.mul %[[SEED]], %[[S]]
// CHECK:       %[[RAW:.*]] = train.gradient @w
// CHECK-NEXT:  %[[MARK:.*]] = amp.mark_scaled %[[RAW]]
// CHECK-NEXT:  %[[G:.*]], %[[COUNT:.*]] = amp.unscale %[[MARK]] by %[[S]]
// CHECK:       %[[BAD:.*]] = train.compare ne %[[COUNT]],
// The norm is formed from unscaled gradients.
// CHECK:       %[[WIDE:.*]] = train.cast %[[G]] {{.*}} to tensor<{{.*}}xf64>
// CHECK:       train.mul %[[WIDE]], %[[WIDE]]
// CHECK:       train.sqrt
// CHECK-DAG:   %[[NW:.*]], %{{.*}} = train.update %[[W]] by #train.sgd{{.*}} moments(%[[M]]) {{.*}} unless %[[BAD]]
// CHECK-DAG:   train.select %[[BAD]], %[[STEP]],
// CHECK-DAG:   train.select %[[BAD]], %{{.*}} : tensor<i1>, tensor<8xf32>, tensor<8xf32>
// CHECK-DAG:   train.cast %[[NW]] {{.*}}: tensor<16x8xf32> to tensor<16x8xf16>
// CHECK-DAG:   amp.update_scale %[[S]], %{{.*}} found_inf %[[BAD]] with <initial = 1.280000e+02, interval = 1>
// CHECK:       train.return

// Gradients from the caller of apply are checked in apply.
// CHECK-LABEL: train.func @fit.apply
// CHECK-SAME:  tensor<i64> {train.is = #train.output<nonfinite>}
// CHECK:       amp.non_finite
// CHECK:       amp.update_scale

// -----

// Two steps with a common scaler: the scale moves after both steps, and backs off if either step was skipped.
train.model @pair {
  amp.scaler @both = torch
  train.param @w : tensor<16x8xf32> = #train.kaiming_uniform
  train.param @v : tensor<16x8xf32> = #train.kaiming_uniform
  train.func @first(%x: tensor<32x16xf32>) -> tensor<f32> {
    %w = train.read @w : tensor<16x8xf32>
    %0 = train.matmul %x, %w : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %1 = train.tanh %0 : tensor<32x8xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<32x8xf32>
    train.return %2 : tensor<f32>
  }
  train.func @second(%x: tensor<32x16xf32>) -> tensor<f32> {
    %w = train.read @v : tensor<16x8xf32>
    %0 = train.matmul %x, %w : (tensor<32x16xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    %1 = train.tanh %0 : tensor<32x8xf32>
    %2 = train.reduce_sum %1 over [0, 1] : tensor<32x8xf32>
    train.return %2 : tensor<f32>
  }
  train.step @a minimize @first over [@w] with #train.sgd<lr = 0.1> {amp.scaler = @both}
  train.step @b minimize @second over [@v] with #train.sgd<lr = 0.1> {amp.scaler = @both}
}
// CHECK-LABEL: train.model @pair
// CHECK:       train.buffer @both.arrived : tensor<i32>
// CHECK:       train.buffer @both.pending : tensor<i32>
// CHECK-LABEL: train.func @a.train
// CHECK-SAME:  %[[SCALE:[a-z0-9]+]]: tensor<f32> {train.is = #train.state<@both.scale>}
// CHECK:       %[[BAD:.*]] = train.compare ne
// CHECK:       %[[ARRIVED:.*]] = train.add {{.*}} : tensor<i32>, tensor<i32>
// CHECK:       %[[EARLIER:.*]] = train.compare ne
// CHECK:       %[[ANY:.*]] = train.select %[[BAD]], %[[BAD]], %[[EARLIER]]
// CHECK:       %[[LAST:.*]] = train.compare ge %[[ARRIVED]]
// CHECK:       %[[NEW:.*]], %{{.*}}, %{{.*}} = amp.update_scale %[[SCALE]], %{{.*}} found_inf %[[ANY]]
// CHECK:       train.select %[[LAST]], %[[NEW]], %[[SCALE]]

// -----

// Rows are unscaled in f32 before equal indices are added up, and checked after; a skipped step writes no rows, and the rest of a
// table that every step moves stays unchanged.
train.model @rows {
  train.param @t : tensor<100x8xf32> = #train.zeros
  train.param @w : tensor<8x8xf32> = #train.zeros
  train.func @loss(%i: tensor<16xi32>) -> tensor<f32> {
    %t = train.read @t : tensor<100x8xf32>
    %w = train.read @w : tensor<8x8xf32>
    %r = train.embedding %t at %i : tensor<100x8xf32>, tensor<16xi32>
    %0 = train.matmul %r, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
    %1 = train.reduce_sum %0 over [0, 1] : tensor<16x8xf32>
    train.return %1 : tensor<f32>
  }
  train.step @fit minimize @loss over [@t, @w] with #train.sgd<lr = 0.1, momentum = 0.9>
}
// CHECK-LABEL: train.model @rows
// CHECK-LABEL: train.func @fit.train
// CHECK-SAME:  %[[T:[a-z0-9]+]]: tensor<100x8xf32> {train.is = #train.state<@t>}
// CHECK-SAME:  %[[S:[a-z0-9]+]]: tensor<f32> {train.is = #train.state<@fit.scale>}
// CHECK:       %[[MARK:.*]] = amp.mark_scaled %{{.*}} : tensor<16x8xf32>
// CHECK-NEXT:  %[[U:.*]], %{{.*}} = amp.unscale %[[MARK]] by %[[S]] : <tensor<16x8xf32>> to tensor<16x8xf32>
// CHECK-NEXT:  %[[SUMS:.*]], %[[ROWS:.*]] = train.segment_sum %[[U]] at
// CHECK:       %[[G:.*]] = train.gradient @t, %[[SUMS]]
// CHECK-NEXT:  %[[COUNT:.*]] = amp.non_finite %[[G]]
// CHECK:       %[[SUM:.*]] = train.add %[[COUNT]], %
// CHECK:       %[[BAD:.*]] = train.compare ne %[[SUM]],
// CHECK:       %[[KEPT:.*]] = train.select %[[BAD]], %{{.*}}, %[[ROWS]]
// CHECK:       %[[BASE:[a-z_0-9]*]], %{{.*}} = train.update %[[T]] by {{.*}} unless %[[BAD]]
// CHECK:       train.scatter_rows %{{.*}} at %[[KEPT]] into %[[BASE]]
// CHECK:       train.scatter_rows %{{.*}} at %[[KEPT]] into

// Apply checks only the sums from the caller, not the row numbers.
// CHECK-LABEL: train.func @fit.apply
// CHECK-COUNT-2: amp.non_finite
// CHECK-NOT:   amp.non_finite
// CHECK:       train.compare ne
