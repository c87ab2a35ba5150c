// RUN: %ampc-opt %s --convert-train-to-kernel | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

train.model @moves {
  // Any index shape and any row shape is [rows, width] to the kernel.
  // CHECK-LABEL: kernel.program @rows
  train.func @rows(%t: tensor<7x2x5xf32>, %i: tensor<4x3xi32>) -> tensor<7x2x5xf32> attributes {role = #train.role<export>} {
    // CHECK-DAG: %[[T:.*]] = kernel.view %arg0 : tensor<7x2x5xf32> to tensor<7x10xf32>
    // CHECK-DAG: %[[I:.*]] = kernel.view %arg1 : tensor<4x3xi32> to tensor<12xi32>
    // CHECK: kernel.gather %[[T]], %[[I]] : tensor<7x10xf32>, tensor<12xi32> -> tensor<12x10xf32>
    %0 = train.gather %t at %i : tensor<7x2x5xf32>, tensor<4x3xi32>
    // CHECK: kernel.scatter_add {{.*}} padding 3 : tensor<12x10xf32>, tensor<12xi32> -> tensor<7x10xf32>
    %1 = train.scatter_add %0 at %i padding 3 : tensor<4x3x2x5xf32>, tensor<4x3xi32> to tensor<7x2x5xf32>
    train.return %1 : tensor<7x2x5xf32>
  }
  // Rows between other dimensions are taken from there, and added up there.
  // CHECK-LABEL: kernel.program @inner_rows
  train.func @inner_rows(%t: tensor<2x7x9xf32>, %i: tensor<3xi32>) -> (tensor<2x3x9xf32>, tensor<2x7x9xf32>) attributes {role = #train.role<export>} {
    // CHECK-NOT: space [7, 2, 9]
    // CHECK-DAG: %[[T:.*]] = kernel.view %arg0 : tensor<2x7x9xf32> to tensor<14x9xf32>
    // CHECK-DAG: %[[N:.*]] = kernel.map(%arg1 : tensor<3xi32>) space [2, 3]
    // CHECK: kernel.linear_index
    // CHECK: %[[I:.*]] = kernel.view %[[N]] : tensor<2x3xi32> to tensor<6xi32>
    // CHECK: kernel.gather %[[T]], %[[I]] : tensor<14x9xf32>, tensor<6xi32> -> tensor<6x9xf32>
    // CHECK: kernel.scatter_add {{.*}} : tensor<6x9xf32>, tensor<6xi32> -> tensor<14x9xf32>
    // CHECK-NOT: kernel.map
    // CHECK: kernel.return
    %0 = train.transpose %t [1, 0, 2] : tensor<2x7x9xf32>
    %1 = train.gather %0 at %i : tensor<7x2x9xf32>, tensor<3xi32>
    %2 = train.transpose %1 [1, 0, 2] : tensor<3x2x9xf32>
    %3 = train.transpose %2 [1, 0, 2] : tensor<2x3x9xf32>
    %4 = train.scatter_add %3 at %i : tensor<3x2x9xf32>, tensor<3xi32> to tensor<7x2x9xf32>
    %5 = train.transpose %4 [1, 0, 2] : tensor<7x2x9xf32>
    train.return %2, %5 : tensor<2x3x9xf32>, tensor<2x7x9xf32>
  }
  // Sums of 16-bit rows are formed in f32 and rounded once.
  // CHECK-LABEL: kernel.program @narrow
  train.func @narrow(%u: tensor<3x5xbf16>, %i: tensor<3xi32>) -> tensor<7x5xbf16> attributes {role = #train.role<export>} {
    // CHECK: kernel.scatter_add {{.*}} -> tensor<7x5xf32>
    // CHECK: kernel.map({{.*}} : tensor<7x5xf32>)
    // CHECK: arith.truncf
    %0 = train.scatter_add %u at %i : tensor<3x5xbf16>, tensor<3xi32> to tensor<7x5xbf16>
    train.return %0 : tensor<7x5xbf16>
  }
  // Rows of any shape are put into the table's memory.
  // CHECK-LABEL: kernel.program @row_gradients
  train.func @row_gradients(%u: tensor<3x4x2x5xf16>, %i: tensor<3x4xi32>, %t: tensor<70x2x5xf32>) -> tensor<70x2x5xf32> attributes {role = #train.role<export>} {
    // CHECK: %[[ROWS:.*]], %[[ORDER:.*]], %[[STARTS:.*]] = kernel.sort_by_key %{{.*}} of 70 : tensor<12xi32> -> tensor<12xi32>, tensor<12xi32>, tensor<13xi32>
    // CHECK: %[[SUMS:.*]] = kernel.segment_sum %{{.*}}, %[[ORDER]], %[[STARTS]] : tensor<12x10xf16>, tensor<12xi32>, tensor<13xi32> -> tensor<12x10xf32>
    %s, %r = train.segment_sum %u at %i of 70 : tensor<3x4x2x5xf16>, tensor<3x4xi32> to tensor<12x2x5xf32>, tensor<12xi32>
    // CHECK: kernel.scatter_rows %{{.*}}, %[[ROWS]] into %{{.*}} : tensor<12x10xf32>, tensor<12xi32>, tensor<70x10xf32>
    %y = train.scatter_rows %s at %r into %t : tensor<12x2x5xf32>, tensor<12xi32>, tensor<70x2x5xf32>
    train.return %y : tensor<70x2x5xf32>
  }
  // Columns of a wider matrix are read in place, before a cast that widens the elements.
  // CHECK-LABEL: kernel.program @column_gradients
  // CHECK-SAME: %[[G:.*]]: tensor<12x24xbf16>
  train.func @column_gradients(%g: tensor<12x24xbf16>, %i: tensor<12xi32>, %t: tensor<70x8xf32>) -> tensor<70x8xf32> attributes {role = #train.role<export>} {
    %p = train.slice %g from [0, 16] sizes [12, 8] strides [1, 1] : tensor<12x24xbf16>
    %u = train.cast %p : tensor<12x8xbf16> to tensor<12x8xf32>
    // CHECK: kernel.segment_sum %[[G]], %{{.*}}, %{{.*}} from 16 : tensor<12x24xbf16>, tensor<12xi32>, tensor<13xi32> -> tensor<12x8xf32>
    %s, %r = train.segment_sum %u at %i of 70 : tensor<12x8xf32>, tensor<12xi32> to tensor<12x8xf32>, tensor<12xi32>
    %y = train.scatter_rows %s at %r into %t : tensor<12x8xf32>, tensor<12xi32>, tensor<70x8xf32>
    train.return %y : tensor<70x8xf32>
  }
  // No reading in place where rows are left out, or where a row is a single number.
  // CHECK-LABEL: kernel.program @some_rows
  train.func @some_rows(%g: tensor<13x24xbf16>, %i: tensor<12xi32>, %t: tensor<70x8xf32>) -> tensor<70x8xf32> attributes {role = #train.role<export>} {
    %p = train.slice %g from [0, 16] sizes [12, 8] strides [1, 1] : tensor<13x24xbf16>
    // CHECK: kernel.segment_sum %{{.*}}, %{{.*}}, %{{.*}} : tensor<12x8xbf16>, tensor<12xi32>, tensor<13xi32> -> tensor<12x8xf32>
    %s, %r = train.segment_sum %p at %i of 70 : tensor<12x8xbf16>, tensor<12xi32> to tensor<12x8xf32>, tensor<12xi32>
    %y = train.scatter_rows %s at %r into %t : tensor<12x8xf32>, tensor<12xi32>, tensor<70x8xf32>
    train.return %y : tensor<70x8xf32>
  }
  // CHECK-LABEL: kernel.program @numbers
  train.func @numbers(%g: tensor<3x24xf32>, %i: tensor<3x4xi32>, %t: tensor<70xf32>) -> tensor<70xf32> attributes {role = #train.role<export>} {
    %p = train.slice %g from [0, 16] sizes [3, 4] strides [1, 1] : tensor<3x24xf32>
    // CHECK: kernel.segment_sum %{{.*}}, %{{.*}}, %{{.*}} : tensor<12x1xf32>, tensor<12xi32>, tensor<13xi32> -> tensor<12x1xf32>
    %s, %r = train.segment_sum %p at %i of 70 : tensor<3x4xf32>, tensor<3x4xi32> to tensor<12xf32>, tensor<12xi32>
    %y = train.scatter_rows %s at %r into %t : tensor<12xf32>, tensor<12xi32>, tensor<70xf32>
    train.return %y : tensor<70xf32>
  }
  // CHECK-LABEL: kernel.program @parts
  train.func @parts(%a: tensor<3x4xf32>, %b: tensor<3x2xf32>) -> tensor<5x13xf32> attributes {role = #train.role<export>} {
    // CHECK: kernel.assemble({{.*}} : tensor<3x4xf32>, tensor<3x2xf32>) offsets [0, 0, 0, 4] strides [1, 1, 1, 1] fill 0.000000e+00 -> tensor<3x6xf32>
    %0 = train.concat %a, %b along 1 : tensor<3x4xf32>, tensor<3x2xf32>
    // CHECK: kernel.assemble({{.*}} : tensor<3x6xf32>) offsets [1, 2] strides [1, 2] fill 5.000000e-01 -> tensor<5x13xf32>
    %1 = train.pad %0 value 0.5 low [1, 2] high [1, 0] interior [0, 1] : tensor<3x6xf32>
    train.return %1 : tensor<5x13xf32>
  }
  // A slice is a map of the reader, not a kernel.
  // CHECK-LABEL: kernel.program @slice
  train.func @slice(%a: tensor<5x9xf32>) -> tensor<3x3xf32> attributes {role = #train.role<export>} {
    // CHECK-COUNT-1: kernel.map
    // CHECK-NOT: kernel.map
    // CHECK: kernel.return
    %0 = train.slice %a from [1, 2] sizes [3, 3] strides [1, 3] : tensor<5x9xf32>
    %1 = train.stop_gradient %0 : tensor<3x3xf32>
    %2 = train.exp %1 : tensor<3x3xf32>
    train.return %2 : tensor<3x3xf32>
  }
  // CHECK-LABEL: kernel.program @pools
  train.func @pools(%x: tensor<2x6x6x3xf32>) -> tensor<2x6x6x3xf32> attributes {role = #train.role<export>} {
    // CHECK: kernel.pool max {{.*}} window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.000000e+00 : tensor<2x6x6x3xf32> -> tensor<2x3x3x3xf32>, tensor<2x3x3x3xi8>
    %y, %w = train.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<2x6x6x3xf32>
    // CHECK: kernel.pool_grad max({{.*}}, {{.*}} : tensor<2x3x3x3xf32>, tensor<2x3x3x3xi8>)
    %g = train.max_pool_grad %y, %w window [2, 2] strides [2, 2] padding [0, 0, 0, 0]
      : tensor<2x3x3x3xf32>, tensor<2x3x3x3xi8> to tensor<2x6x6x3xf32>
    // CHECK: kernel.pool sum {{.*}} scale 2.500000e-01
    %a = train.avg_pool %g window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<2x6x6x3xf32>
    // CHECK: kernel.pool_grad sum({{.*}} : tensor<2x3x3x3xf32>) {{.*}} scale 2.500000e-01
    %b = train.avg_pool_grad %a window [2, 2] strides [2, 2] padding [0, 0, 0, 0] : tensor<2x3x3x3xf32> to tensor<2x6x6x3xf32>
    train.return %b : tensor<2x6x6x3xf32>
  }
}
