// RUN: ampc-opt %s --convert-train-to-kernel --mlir-print-local-scope | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @loops {
  // The block is a part. Carried values come first; rows move; the transpose of a weight outside is a map inside.
  // CHECK-LABEL: kernel.program @forward.loop(
  // CHECK-SAME: %[[H:.*]]: tensor<4x8xf32> {train.is = #train.input<"in0">}, %[[X:.*]]: tensor<4x8xf32> {train.is = #train.input<"in1">}, %[[W:.*]]: tensor<8x8xf32> {train.is = #train.input<"in2">}
  // CHECK-SAME: -> (tensor<4x8xf32> {train.is = #train.output<named, name = "out0">}, tensor<4x8xf32> {train.is = #train.output<named, name = "out1">})
  // CHECK-SAME: role = #train.role<part>
  // CHECK: kernel.gemm %[[H]], %[[W]] : tensor<4x8xf32>, tensor<8x8xf32> acc f32 maps [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
  // CHECK: kernel.map({{.*}}%[[X]]
  // A value that is carried and kept is stored twice.
  // CHECK: %[[COPY:.*]] = kernel.map(%[[N:.*]] : tensor<4x8xf32>)
  // CHECK: kernel.return %[[N]], %[[COPY]]
  // CHECK-LABEL: kernel.program @forward(
  // CHECK-SAME: %[[H0:.*]]: tensor<4x8xf32> {{.*}}, %[[XS:.*]]: tensor<5x4x8xf32> {{.*}}, %[[V:.*]]: tensor<8x8xf32>
  // CHECK-NEXT: %[[C:.*]]:2 = kernel.call @forward.loop(%[[H0]], %[[XS]], %[[V]] : tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<8x8xf32>) times 5 carried 1 {train.origins = [#train.origin<"f/scan#0">]} : tensor<4x8xf32>, tensor<5x4x8xf32>
  // CHECK-NEXT: kernel.return %[[C]]#0, %[[C]]#1
  train.func @forward(%h0: tensor<4x8xf32>, %xs: tensor<5x4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>) attributes {role = #train.role<export>} {
    %t = train.transpose %w [1, 0] : tensor<8x8xf32>
    %last, %all = train.scan carry %h = %h0 over %x = %xs : tensor<4x8xf32>, tensor<5x4x8xf32> attributes {train.origin = #train.origin<"f/scan#0">} {
      %0 = train.matmul %h, %t {train.origin = #train.origin<"f/matmul#0">} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      %1 = train.add %0, %x {train.origin = #train.origin<"f/add#0">} : tensor<4x8xf32>, tensor<4x8xf32>
      train.next %1 each %1 : tensor<4x8xf32>, tensor<4x8xf32>
    }
    train.return %last, %all : tensor<4x8xf32>, tensor<5x4x8xf32>
  }

  // The number of the row is a row of numbers that moves; literals and constants from outside are inside.
  // CHECK-LABEL: kernel.program @numbers.loop(
  // CHECK-SAME: %[[H:.*]]: tensor<2xf32> {{[^,]*}}, %[[I:.*]]: tensor<i32>
  // CHECK: kernel.constant dense<[1.000000e+00, 2.000000e+00]>
  // CHECK: arith.constant 3.000000e+00
  // CHECK-LABEL: kernel.program @numbers(
  // CHECK: %[[N:.*]] = kernel.constant dense<[0, 1, 2]> : tensor<3xi32>
  // CHECK: kernel.call @numbers.loop(%{{.*}}, %[[N]] : tensor<2xf32>, tensor<3xi32>) times 3 carried 1 reverse : tensor<2xf32>
  train.func @numbers(%h0: tensor<2xf32>) -> tensor<2xf32> attributes {role = #train.role<export>} {
    %c = train.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %s = train.constant dense<3.0> : tensor<2xf32>
    %last = train.scan carry %h = %h0 times 3 reverse index %i : tensor<2xf32> {
      %0 = train.cast %i : tensor<i32> to tensor<f32>
      %1 = train.add %h, %0 : tensor<2xf32>, tensor<f32>
      %2 = train.mul %1, %c : tensor<2xf32>, tensor<2xf32>
      %3 = train.mul %2, %s : tensor<2xf32>, tensor<2xf32>
      train.next %3 : tensor<2xf32>
    }
    train.return %last : tensor<2xf32>
  }

  // A loop inside is a call inside of the part; a literal is written where a value begins with it.
  // CHECK-LABEL: kernel.program @nested.loop.loop(
  // CHECK-LABEL: kernel.program @nested.loop(
  // CHECK: kernel.call @nested.loop.loop({{.*}}) times 2 carried 1 : tensor<4xf32>
  // CHECK-LABEL: kernel.program @nested(
  // CHECK: %[[ZERO:.*]] = kernel.map()
  // CHECK: kernel.call @nested.loop(%[[ZERO]], {{.*}}) times 3 carried 1 : tensor<4xf32>
  train.func @nested(%xs: tensor<3x2x4xf32>) -> tensor<4xf32> attributes {role = #train.role<export>} {
    %zero = train.constant dense<0.0> : tensor<4xf32>
    %last = train.scan carry %h = %zero over %rows = %xs : tensor<4xf32>, tensor<3x2x4xf32> {
      %inner = train.scan carry %k = %h over %x = %rows : tensor<4xf32>, tensor<2x4xf32> {
        %0 = train.add %k, %x : tensor<4xf32>, tensor<4xf32>
        train.next %0 : tensor<4xf32>
      }
      train.next %inner : tensor<4xf32>
    }
    train.return %last : tensor<4xf32>
  }
}
