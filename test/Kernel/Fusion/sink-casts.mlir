// Values rounded to 16 bits are stored in 16 bits, once; readers widen the values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-fuse --kernel-sink-casts --cse | FileCheck %s

train.model @narrow {
  // A product reads the bf16 form, two sums the f32 form of the same numbers.
  // CHECK-LABEL: kernel.program @shared(
  // CHECK:      %[[P:.*]] = kernel.map(%{{.*}} : tensor<8x16xf32>)
  // CHECK:      %[[E:.*]] = math.exp
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[E]] : f32 to bf16
  // CHECK-NEXT: kernel.yield %[[R]] : bf16
  // CHECK-NEXT: } : tensor<8x16xbf16>
  // CHECK-DAG:  kernel.gemm %[[P]],
  // CHECK-DAG:  kernel.reduce sum(%[[P]] : tensor<8x16xbf16>)
  // CHECK-NOT:  tensor<8x16xf32>
  // CHECK:      kernel.return
  train.func @shared(%x: tensor<8x16xf32>, %w: tensor<16x4xbf16>) -> (tensor<8x4xf32>, tensor<16xf32>, tensor<16xf32>)
      attributes {role = #train.role<export>} {
    %0 = train.exp %x : tensor<8x16xf32>
    %1 = train.cast %0 : tensor<8x16xf32> to tensor<8x16xbf16>
    %2 = train.matmul %1, %w : (tensor<8x16xbf16>, tensor<16x4xbf16>) -> tensor<8x4xf32>
    %3 = train.cast %1 : tensor<8x16xbf16> to tensor<8x16xf32>
    %4 = train.reduce_sum %3 over [0] : tensor<8x16xf32>
    %5 = train.square %3 : tensor<8x16xf32>
    %6 = train.reduce_sum %5 over [0] : tensor<8x16xf32>
    train.return %2, %4, %6 : tensor<8x4xf32>, tensor<16xf32>, tensor<16xf32>
  }

  // A result of the program keeps the type.
  // CHECK-LABEL: kernel.program @output(
  // CHECK: kernel.map
  // CHECK: } : tensor<8xf32>
  // CHECK: kernel.return
  train.func @output(%x: tensor<8xf32>) -> tensor<8xf32> attributes {role = #train.role<export>} {
    %0 = train.exp %x : tensor<8xf32>
    %1 = train.cast %0 : tensor<8xf32> to tensor<8xbf16>
    %2 = train.cast %1 : tensor<8xbf16> to tensor<8xf32>
    train.return %2 : tensor<8xf32>
  }

  // A mask chooses between rounded values and zeros: the zeros are in 16 bits, too.
  // CHECK-LABEL: kernel.program @masked(
  // CHECK:      %[[M:.*]]:2 = kernel.map(
  // CHECK:      %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK:      %[[S:.*]] = arith.select %{{.*}}, %[[R]], %{{.*}} : bf16
  // CHECK:      kernel.yield %[[S]], %{{.*}} : bf16, f32
  // CHECK-NEXT: } : tensor<8x16xbf16>, tensor<8xf32>
  // CHECK:      kernel.reduce sum(%[[M]]#0 : tensor<8x16xbf16>)
  // CHECK:      kernel.return
  train.func @masked(%x: tensor<8x16xf32>, %mask: tensor<8x16xi1>) -> (tensor<16xf32>, tensor<8xf32>) attributes {role = #train.role<export>} {
    %zero = train.constant dense<0.0> : tensor<f32>
    %0 = train.exp %x : tensor<8x16xf32>
    %1 = train.cast %0 : tensor<8x16xf32> to tensor<8x16xbf16>
    %2 = train.cast %1 : tensor<8x16xbf16> to tensor<8x16xf32>
    %3 = train.select %mask, %2, %zero : tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>
    %4 = train.reduce_sum %3 over [0] : tensor<8x16xf32>
    %5 = train.square %3 : tensor<8x16xf32>
    %6 = train.reduce_sum %5 over [1] : tensor<8x16xf32>
    train.return %4, %6 : tensor<16xf32>, tensor<8xf32>
  }

  // bf16 does not have 0.1: the choice is stored in f32.
  // CHECK-LABEL: kernel.program @no_tenth(
  // CHECK:      kernel.yield %{{.*}}, %{{.*}} : f32, f32
  // CHECK-NEXT: } : tensor<8x16xf32>, tensor<8xf32>
  // CHECK:      kernel.return
  train.func @no_tenth(%x: tensor<8x16xf32>, %mask: tensor<8x16xi1>) -> (tensor<16xf32>, tensor<8xf32>) attributes {role = #train.role<export>} {
    %tenth = train.constant dense<0.1> : tensor<f32>
    %0 = train.exp %x : tensor<8x16xf32>
    %1 = train.cast %0 : tensor<8x16xf32> to tensor<8x16xbf16>
    %2 = train.cast %1 : tensor<8x16xbf16> to tensor<8x16xf32>
    %3 = train.select %mask, %2, %tenth : tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>
    %4 = train.reduce_sum %3 over [0] : tensor<8x16xf32>
    %5 = train.square %3 : tensor<8x16xf32>
    %6 = train.reduce_sum %5 over [1] : tensor<8x16xf32>
    train.return %4, %6 : tensor<16xf32>, tensor<8xf32>
  }
}
