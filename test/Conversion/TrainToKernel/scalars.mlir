// RUN: ampc-opt %s --convert-train-to-kernel | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model keeps declarations; the functions that are no programs go.
// CHECK-LABEL: train.model @scalars
// CHECK-NEXT:    train.param @w
// CHECK-NEXT:    train.step @fit
// CHECK-NEXT:  }
train.model @scalars {
  train.param @w : tensor<4xf32> = #train.zeros
  train.step @fit minimize @loss over [@w] with #train.sgd<lr = 1.0e-1>
  train.func @loss(%x: tensor<f32>) -> tensor<f32> {
    train.return %x : tensor<f32>
  }

  // Attributes of the function, of arguments and of results are kept.
  // CHECK: kernel.program @wide(%[[A:.*]]: tensor<8x4xf32> {train.is = #train.input<"a">}, %[[W:.*]]: tensor<4xf32> {train.is = #train.state<@w>})
  // CHECK-SAME: -> (tensor<8x4xf32> {train.is = #train.output<named, name = "out">}) attributes {role = #train.role<export>}
  // CHECK: kernel.map(%[[A]], %[[W]] : tensor<8x4xf32>, tensor<4xf32>) space [8, 4]
  // CHECK-SAME: maps [{{.*}}] -> [
  // CHECK: arith.addf
  train.func @wide(%a: tensor<8x4xf32>, %w: tensor<4xf32> {train.is = #train.state<@w>})
      -> (tensor<8x4xf32> {train.is = #train.output<named, name = "out">}) attributes {role = #train.role<export>} {
    %0 = train.add %a, %w : tensor<8x4xf32>, tensor<4xf32>
    train.return %0 : tensor<8x4xf32>
  }

  // 16 bits are for storage: widened after the argument, rounded before the yield; literals in f32.
  // CHECK-LABEL: kernel.program @narrow
  // CHECK: ^bb0(%[[X:.*]]: bf16):
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[WIDE]], %[[TWO]] : f32
  // CHECK-NEXT: %[[LOW:.*]] = arith.truncf %[[Y]] : f32 to bf16
  // CHECK-NEXT: kernel.yield %[[LOW]]
  train.func @narrow(%a: tensor<8xbf16>) -> tensor<8xbf16> attributes {role = #train.role<export>} {
    %c = train.constant dense<2.0> : tensor<bf16>
    %0 = train.mul %a, %c : tensor<8xbf16>, tensor<bf16>
    train.return %0 : tensor<8xbf16>
  }

  // CHECK-LABEL: kernel.program @choose
  // CHECK: arith.cmpf ogt
  // CHECK: kernel.yield {{.*}} : i1
  // CHECK: kernel.map(%{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf64>)
  // CHECK: ^bb0(%{{.*}}: i1, %{{.*}}: f64):
  // CHECK: arith.constant 0.000000e+00 : f64
  train.func @choose(%a: tensor<8xf64>) -> tensor<8xf64> attributes {role = #train.role<export>} {
    %c = train.constant dense<0.0> : tensor<8xf64>
    %0 = train.compare gt %a, %c : tensor<8xf64>, tensor<8xf64>
    %1 = train.select %0, %a, %c : tensor<8xi1>, tensor<8xf64>, tensor<8xf64>
    train.return %1 : tensor<8xf64>
  }

  // A row-wise op in one kernel; the map of the result has no last dimension.
  // CHECK-LABEL: kernel.program @entropy
  // CHECK: kernel.map(%{{.*}}, %{{.*}} : tensor<8x10xf32>, tensor<8xi32>) space [8, 10]
  // CHECK: kernel.row_reduce max
  // CHECK: kernel.row_index
  // CHECK: } : tensor<8xf32>
  train.func @entropy(%a: tensor<8x10xf32>, %label: tensor<8xi32>) -> tensor<8xf32> attributes {role = #train.role<export>} {
    %0 = train.softmax_cross_entropy %a, %label reduce none : tensor<8x10xf32>, tensor<8xi32>
    train.return %0 : tensor<8xf32>
  }
}
