// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimension 0, indices from the end, and limits of whole numbers: the largest, and a limit that most numbers exceed. Expected values
// come from equivalent other ops.
// CHECK-COUNT-1: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @x : f32[4, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @differences() {
    %x = train.read @x
    %i = train.constant dense<[[-1, 0, -4], [2, -2, 3]]> : tensor<2x3xi32>
    %j = train.constant dense<[[3, 0, 0], [2, 2, 3]]> : tensor<2x3xi32>
    %0 = train.take_along_axis %x at %i along 0 from_end
    %1 = train.take_along_axis %x at %j along 0
    %a = train.sub %0, %1
    // Sums by products with a 0 or 1.
    %2 = train.add_along_axis %0 at %j along 0 of 4
    %3 = train.one_hot %j : tensor<2x3xi32> to tensor<2x3x4xf32>
    %4 = train.reshape %0 : tensor<2x3xf32> to tensor<2x3x1xf32>
    %5 = train.mul %3, %4
    %6 = train.reduce_sum %5 over [0]
    %7 = train.transpose %6 [1, 0]
    %b = train.sub %2, %7
    %8 = train.scatter add %0 at %i into %x along 0 from_end
    %9 = train.add %x, %7
    %c = train.sub %8, %9
    // Ascending is the other end of descending.
    %10, %11 = train.sort %x along 0
    %12, %13 = train.sort %x along 0 descending
    %14 = train.reverse %12 over [0]
    %d = train.sub %10, %14
    %15, %16 = train.top_k %x of 4 along 0
    %e = train.sub %15, %12
    // Numbers below 2 are sorted: 1, 0 and 1 come before the rest, which stays behind in order.
    %17 = train.constant dense<[[2, 1, -1, 0, 1, 7]]> : tensor<1x6xi32>
    %18 = train.argsort %17 below 2
    %19 = train.constant dense<[[3, 1, 4, 0, 2, 5]]> : tensor<1x6xi32>
    %20 = train.argsort %17 below 2147483647
    %21 = train.constant dense<[[3, 1, 4, 0, 5, 2]]> : tensor<1x6xi32>
    %22 = train.argsort %17
    %23 = train.constant dense<[[2, 3, 1, 4, 0, 5]]> : tensor<1x6xi32>
    %24 = train.argsort %17 descending
    %25 = train.constant dense<[[5, 0, 1, 4, 3, 2]]> : tensor<1x6xi32>
    %26 = train.sub %18, %19
    %27 = train.sub %20, %21
    %28 = train.sub %22, %23
    %29 = train.sub %24, %25
    // No index names the padding.
    %31 = train.constant dense<[[1, 3], [2, 1], [3, 3]]> : tensor<3x2xi32>
    %32 = train.constant dense<[[-3, 3], [-2, 1], [-1, 3]]> : tensor<3x2xi32>
    %33 = train.embedding_bag mean %x at %31
    %34 = train.embedding_bag mean %x at %32 padding 0 from_end
    %35 = train.embedding_bag mean %x at %31 padding -1
    %36 = train.embedding_bag mean %x at %31 padding 2147483647
    %37 = train.sub %33, %34
    %38 = train.sub %35, %36
    %g = train.concat %37, %38 along 0
    %30 = train.concat %26, %27, %28, %29 along 0
    %f = train.cast %30 : tensor<4x6xi32> to tensor<4x6xf32>
    train.return %a, %b, %c, %d, %e, %f, %g
  }
  train.func @sum() {
    %a, %b, %c, %d, %e, %f, %g = train.call @differences()
    %0 = train.square %a
    %1 = train.reduce_sum %0 over [0, 1]
    %2 = train.square %b
    %3 = train.reduce_sum %2 over [0, 1]
    %4 = train.square %c
    %5 = train.reduce_sum %4 over [0, 1]
    %6 = train.square %d
    %7 = train.reduce_sum %6 over [0, 1]
    %8 = train.square %e
    %9 = train.reduce_sum %8 over [0, 1]
    %10 = train.square %f
    %11 = train.reduce_sum %10 over [0, 1]
    %17 = train.square %g
    %18 = train.reduce_sum %17 over [0, 1]
    %12 = train.add %1, %3
    %13 = train.add %5, %7
    %14 = train.add %9, %11
    %15 = train.add %12, %13
    %16 = train.add %14, %15
    %19 = train.add %16, %18
    train.return %19
  }
  train.func @loss(%weight: f32[4, 3]) {
    %x = train.read @x
    %i = train.constant dense<[[-1, 0, -4], [2, -2, 3]]> : tensor<2x3xi32>
    %0 = train.take_along_axis %x at %i along 0 from_end
    %1 = train.sin %0
    %2 = train.scatter set %1 at %i into %x along 0 from_end
    %3, %4 = train.sort %2 along 0
    %5, %6 = train.top_k %x of 4 along 0 smallest
    %7 = train.mul %3, %5
    %8 = train.mul %7, %weight
    %9 = train.reduce_sum %8 over [0, 1]
    train.return %9
  }
  train.step @values minimize @sum over [@x] with #train.sgd<lr = 0.1>
  train.step @slopes minimize @loss over [@x] with #train.sgd<lr = 0.1>
}
