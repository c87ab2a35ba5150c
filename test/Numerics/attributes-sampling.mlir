// RUN: ampc check %s | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unusual numbers around tensors and of resizing. Expected values come from equivalent other ops, or from the same op with other
// attributes: on a straight line every weighted sum is on the line.
// CHECK-COUNT-1: step values{{.*}}: loss {{(0|[0-9.]+e-(2[0-9]|3[0-9]))$}}
// CHECK: all gradients agree
train.model @check {
  train.param @x : f32[4, 3] = #train.normal<mean = 0.0, std = 1.0>
  train.func @differences() {
    %x = train.read @x
    %0 = train.pad_mode constant %x low [3, 0] high [0, 1] value 0.3125152587890625
    %1 = train.pad %x value 0.3125152587890625 low [3, 0] high [0, 1] interior [0, 0]
    %a = train.sub %0, %1
    %2 = train.pad_mode constant %x low [3, 0] high [3, 1] value 1000.0
    %3 = train.pad %x value 1000.0 low [3, 0] high [3, 1] interior [0, 0]
    %b = train.sub %2, %3
    %4 = train.pad_mode constant %x low [0, -1] high [-1, 0] value -1.5
    %5 = train.slice %x from [0, 1] sizes [3, 2] strides [1, 1]
    %c = train.sub %4, %5
    %6 = train.strided_slice %x from [3, 0] sizes [2, 3] strides [-3, 1]
    %7 = train.slice %x from [0, 0] sizes [2, 3] strides [3, 1]
    %8 = train.reverse %7 over [0]
    %d = train.sub %6, %8
    %9 = train.resize nearest %x to [8, 3]
    %10 = train.resize nearest %x to [8, 3] scales [2.0, 1.0] coordinates asymmetric rounding floor
    %e = train.sub %9, %10
    // With a coefficient of 0 only the two elements around a position have weights; at an element's position all other weights are 0.
    %11 = train.resize cubic %x to [7, 3] coordinates align_corners coefficient 0.0
    %12 = train.resize linear %x to [7, 3] coordinates align_corners exclude_outside
    %f = train.sub %11, %12
    %13 = train.resize cubic %x to [2, 3] coordinates asymmetric coefficient 0.3125152587890625
    %14 = train.resize cubic %x to [2, 3] coordinates asymmetric coefficient 1000.0
    %15 = train.slice %x from [0, 0] sizes [2, 3] strides [2, 1]
    %g = train.sub %13, %15
    %h = train.sub %14, %15
    %16 = train.resize cubic %x to [1, 3] coordinates pytorch_half_pixel coefficient -1.5
    %17 = train.slice %x from [0, 0] sizes [1, 3] strides [1, 1]
    %i = train.sub %16, %17
    %18 = train.resize linear %x to [4, 6] coordinates half_pixel_symmetric antialias
    %19 = train.resize linear %x to [4, 6]
    %j = train.sub %18, %19
    %20 = train.resize nearest %x to [2, 3] coordinates asymmetric rounding ceil
    %21 = train.resize nearest %x to [2, 3] coordinates asymmetric rounding round_prefer_ceil
    // Position 10 is too far from all four rows: the result is the last row.
    %24 = train.resize linear %x to [2, 3] scales [0.1, 1.0] coordinates asymmetric exclude_outside
    %22 = train.concat %15, %15, %7 along 0
    %23 = train.concat %20, %21, %24 along 0
    %k = train.sub %23, %22
    train.return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k
  }
  train.func @sum() {
    %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k = train.call @differences()
    %qa = train.square %a
    %sa = train.reduce_sum %qa over [0, 1]
    %qb = train.square %b
    %sb = train.reduce_sum %qb over [0, 1]
    %qc = train.square %c
    %sc = train.reduce_sum %qc over [0, 1]
    %qd = train.square %d
    %sd = train.reduce_sum %qd over [0, 1]
    %qe = train.square %e
    %se = train.reduce_sum %qe over [0, 1]
    %qf = train.square %f
    %sf = train.reduce_sum %qf over [0, 1]
    %qg = train.square %g
    %sg = train.reduce_sum %qg over [0, 1]
    %qh = train.square %h
    %sh = train.reduce_sum %qh over [0, 1]
    %qi = train.square %i
    %si = train.reduce_sum %qi over [0, 1]
    %qj = train.square %j
    %sj = train.reduce_sum %qj over [0, 1]
    %t0 = train.add %sa, %sb
    %t1 = train.add %t0, %sc
    %t2 = train.add %t1, %sd
    %t3 = train.add %t2, %se
    %t4 = train.add %t3, %sf
    %t5 = train.add %t4, %sg
    %t6 = train.add %t5, %sh
    %t7 = train.add %t6, %si
    %t8 = train.add %t7, %sj
    %qk = train.square %k
    %sk = train.reduce_sum %qk over [0, 1]
    %t9 = train.add %t8, %sk
    train.return %t9
  }
  train.step @values minimize @sum over [@x] with #train.sgd<lr = 0.1>
}
