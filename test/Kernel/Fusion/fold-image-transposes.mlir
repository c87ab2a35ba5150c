// Convolutions read images with the channels first in place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-opt %s --convert-train-to-kernel --kernel-fuse --kernel-fold-image-transposes | FileCheck %s

train.model @images {
  // CHECK-LABEL: kernel.program @image(
  // CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x5x6xf32>
  // CHECK-NOT: kernel.map
  // CHECK: kernel.conv %[[X]], {{.*}} channels_first space [2, 5, 6, 4]
  // CHECK: kernel.conv_filter %[[X]], {{.*}} channels_first space [4, 3, 3, 3]
  train.func @image(%x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x3xf32>, %g: tensor<2x5x6x4xf32>) -> (tensor<2x5x6x4xf32>, tensor<4x3x3x3xf32>)
      attributes {role = #train.role<export>} {
    %0 = train.transpose %x [0, 2, 3, 1] : tensor<2x3x5x6xf32>
    %1 = train.conv2d %0, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x5x6x4xf32>
    %2 = train.conv2d_grad_filter %0, %g strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xf32>, tensor<2x5x6x4xf32>) -> tensor<4x3x3x3xf32>
    train.return %1, %2 : tensor<2x5x6x4xf32>, tensor<4x3x3x3xf32>
  }

  // The rest of the map, such as a conversion, is written in the order in which the map reads.
  // CHECK-LABEL: kernel.program @converted(
  // CHECK: %[[P:.*]] = kernel.map(%{{[^:]*}} : tensor<2x3x5x6xf32>) space [2, 3, 5, 6] maps [#[[ALL:.*]]] -> [#[[ALL]]]
  // CHECK: arith.truncf
  // CHECK: } : tensor<2x3x5x6xbf16>
  // CHECK: kernel.conv %[[P]], {{.*}} channels_first
  train.func @converted(%x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x3xbf16>) -> tensor<2x5x6x4xf32> attributes {role = #train.role<export>} {
    %0 = train.cast %x : tensor<2x3x5x6xf32> to tensor<2x3x5x6xbf16>
    %1 = train.transpose %0 [0, 2, 3, 1] : tensor<2x3x5x6xbf16>
    %2 = train.conv2d %1, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x5x6x4xf32>
    train.return %2 : tensor<2x5x6x4xf32>
  }

  // A signal is an image of a single row.
  // CHECK-LABEL: kernel.program @signal(
  // CHECK: %[[V:.*]] = kernel.view %{{.*}} : tensor<2x3x19xf32> to tensor<2x3x1x19xf32>
  // CHECK-NOT: kernel.map
  // CHECK: kernel.conv %[[V]], {{.*}} channels_first
  train.func @signal(%x: tensor<2x3x19xf32>, %w: tensor<4x1x5x3xf32>) -> tensor<2x1x15x4xf32> attributes {role = #train.role<export>} {
    %0 = train.transpose %x [0, 2, 1] : tensor<2x3x19xf32>
    %1 = train.reshape %0 : tensor<2x19x3xf32> to tensor<2x1x19x3xf32>
    %2 = train.conv2d %1, %w strides [1, 1] padding [0, 0, 0, 0] : (tensor<2x1x19x3xf32>, tensor<4x1x5x3xf32>) -> tensor<2x1x15x4xf32>
    train.return %2 : tensor<2x1x15x4xf32>
  }

  // Vectors want channels beside each other; so does another reader. Rows and columns that change places are no planes.
  // CHECK-LABEL: kernel.program @others(
  // CHECK-NOT: channels_first
  // CHECK: kernel.return
  train.func @others(%many: tensor<2x8x5x6xf32>, %v: tensor<4x3x3x8xf32>, %x: tensor<2x3x5x6xf32>, %w: tensor<4x3x3x3xf32>, %t: tensor<2x3x6x5xf32>)
      -> (tensor<2x5x6x4xf32>, tensor<2x5x6x4xf32>, tensor<2x5x6x3xf32>, tensor<2x5x6x4xf32>) attributes {role = #train.role<export>} {
    %0 = train.transpose %many [0, 2, 3, 1] : tensor<2x8x5x6xf32>
    %1 = train.conv2d %0, %v strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x8xf32>, tensor<4x3x3x8xf32>) -> tensor<2x5x6x4xf32>
    %2 = train.transpose %x [0, 2, 3, 1] : tensor<2x3x5x6xf32>
    %3 = train.conv2d %2, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x5x6x4xf32>
    %4 = train.transpose %t [0, 3, 2, 1] : tensor<2x3x6x5xf32>
    %5 = train.conv2d %4, %w strides [1, 1] padding [1, 1, 1, 1] : (tensor<2x5x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x5x6x4xf32>
    train.return %1, %3, %2, %5 : tensor<2x5x6x4xf32>, tensor<2x5x6x4xf32>, tensor<2x5x6x3xf32>, tensor<2x5x6x4xf32>
  }
}
