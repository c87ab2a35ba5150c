// Knobs in text: declaration, formulas of sizes, values by both names, casts, loops and modules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s | FileCheck %s
// RUN: %ampc-opt %s -o %t.once && ampc-opt %t.once | diff %t.once -
// RUN: %ampc-opt %s --train-expand-modules | FileCheck %s --check-prefix=EXPAND

// CHECK-LABEL: train.model @m
train.model @m(batch = 8, width = 4) {
  // CHECK: train.knob @gain = 1.000000e+00 in [0.000000e+00, 1.000000e+01]{{$}}
  train.knob @gain = 1.0 in [0, 10]
  // CHECK: train.knob @wide : tensor<f64> = 2.500000e-01 in [-1.000000e+00, 8.000000e+00] {train.sizes = {high = "2 * width", init = "#train.fill<1 / width>"}}
  train.knob @wide : f64[] = 1 / width in [-1.0, 2 * width]

  // The sizes of a use give other numbers; the knob belongs to the use.
  // EXPAND: train.knob @gain = 1.0
  // EXPAND: train.knob @first.slope = 1.250000e-01 in [0.000000e+00, 8.000000e+00]{{$}}
  train.model @layer(n = 4) {
    train.knob @slope = 1 / n in [0, n]
    train.func @apply(%x: f32[batch, n]) {
      %y = train.mul %x, @slope
      train.return %y
    }
  }
  train.use @layer as @first (n = 8)

  // CHECK-LABEL: train.func @values
  // CHECK-DAG: %[[GAIN:.*]] = train.read @gain : tensor<f32>
  // CHECK-DAG: %[[WIDE:.*]] = train.read @wide : tensor<f64>
  train.func @values(%x: f32[batch, 3], %h: bf16[batch], %d: f64[batch]) {
    // CHECK: train.mul %{{.*}}, %[[GAIN]] : tensor<8x3xf32>, tensor<f32>
    %a = train.mul %x, @gain
    // The type behind the op is the type of the value only.
    // CHECK: train.sub %[[GAIN]], %{{.*}} : tensor<f32>, tensor<8x3xf32>
    %b = train.sub @gain, %a : f32[batch, 3]
    // A knob has a type, which the number takes.
    // CHECK: %[[ONE:.*]] = train.constant dense<1.000000e+00> : tensor<f32>
    // CHECK: train.sub %[[ONE]], %[[GAIN]] : tensor<f32>, tensor<f32>
    %c = train.sub 1, @gain
    // CHECK: train.add %[[GAIN]], %[[GAIN]] : tensor<f32>, tensor<f32>
    %e = train.add @gain, @gain
    // CHECK: %[[NARROW:.*]] = train.cast %[[GAIN]] : tensor<f32> to tensor<bf16>
    // CHECK: train.mul %{{.*}}, %[[NARROW]] : tensor<8xbf16>, tensor<bf16>
    %f = train.mul %h, @gain
    // CHECK: train.mul %{{.*}}, %[[WIDE]] : tensor<8xf64>, tensor<f64>
    %g = train.mul %d, @wide
    // CHECK: %[[CAST:.*]] = train.cast %[[WIDE]] : tensor<f64> to tensor<f32>
    // CHECK: train.compare {{ *}}gt %{{.*}}, %[[CAST]]
    %m = train.compare gt %x, @wide
    // CHECK: train.select %{{.*}}, %[[GAIN]], %{{.*}} : tensor<8x3xi1>, tensor<f32>, tensor<8x3xf32>
    %s = train.select %m, @gain, %x
    train.return %s
  }

  // A local value hides `%gain`, not `@gain`.
  // CHECK-LABEL: train.func @hidden
  // CHECK: %[[GAIN:.*]] = train.read @gain : tensor<f32>
  train.func @hidden(%x: f32[batch]) {
    // CHECK: %[[LOCAL:.*]] = train.relu
    %gain = train.relu %x
    // CHECK: train.mul %[[LOCAL]], %[[GAIN]] : tensor<8xf32>, tensor<f32>
    %y = train.mul %gain, @gain
    train.return %y
  }

  // One read for all rounds.
  // CHECK-LABEL: train.func @loop
  // CHECK: %[[GAIN:.*]] = train.read @gain : tensor<f32>
  // CHECK: train.scan
  // CHECK: train.mul %{{.*}}, %[[GAIN]]
  train.func @loop(%x: f32[batch]) {
    %y = train.scan carry %h = %x times 3 {
      %z = train.mul %h, @gain
      train.next %z
    }
    train.return %y
  }
  train.param @w : f32[3] = #train.ones
  train.func @loss(%x: f32[batch, 3]) {
    %y = train.mul %x, %w
    %l = train.reduce_mean %y over [0, 1]
    train.return %l
  }
  // Words of a comment are no group.
  // CHECK: train.step @grouped {{.*}} {train.knobs = {groups.0.lr = @gain}}
  train.step @grouped minimize @loss over all with #train.sgd<lr = 0.1> groups [ // a #train.group<...> of weights
    #train.group<params = [@w], optimizer = #train.sgd<lr = @gain>>]
}
