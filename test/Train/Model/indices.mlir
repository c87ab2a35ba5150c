// RUN: %ampc-opt %s --train-name-ops --train-instantiate --train-strip-origins | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of callers: checks of the runtime, and the values that programs compute with.

train.model @m {
  train.param @table : f32[5, 3] = #train.zeros {frozen}
  train.func @wide(%scores: f32[4, 7], %label: i64[4], %other: i16[4]) {
    %0 = train.softmax_cross_entropy %scores, %label ignore -100
    %1 = train.softmax_cross_entropy %scores, %other
    train.return %0, %1
  }
  // A part of the input chooses rows, which does not bound the rest.
  train.func @moved(%token: i64[4, 6], %small: i8[4, 2]) {
    %part = train.slice %token from [0, 1] sizes [4, 4] strides [1, 1]
    %word = train.cast %part to i32
    %more = train.cast %small to i32
    %both = train.concat %word, %more along 1
    %flat = train.reshape %both to [24]
    %0 = train.gather %table at %flat
    train.return %0
  }
  // Only i32 has to hold the number; any number is true or false.
  train.func @narrowed(%number: i64[4], %truth: i64[4]) {
    %0 = train.cast %number to i32
    %1 = train.cast %truth to i1
    %2 = train.one_hot %number to f32[4, 3]
    train.return %0, %1, %2
  }
  train.func @ends(%row: i32[4], %padded: i32[4]) {
    %0 = train.gather %table at %row from_end
    %1 = train.gather %table at %padded padding -1 from_end
    train.return %0, %1
  }
  train.func @bytes(%image: ui8[4, 2, 3], %row: ui8[4]) {
    %flat = train.reshape %image to [4, 6]
    %0 = train.cast %flat to f32
    %1 = train.gather %table at %row
    train.return %0, %1
  }
  // A computed index is not refused, but chooses nothing outside of the table.
  train.func @computed(%a: i64[4], %b: i64[4]) {
    %sum = train.add %a, %b
    %0 = train.gather %table at %sum
    train.return %0
  }
  train.export @wide as "wide"
  train.export @moved as "moved"
  train.export @narrowed as "narrowed"
  train.export @ends as "ends"
  train.export @bytes as "bytes"
  train.export @computed as "computed"
}

// CHECK-LABEL: train.func @export.wide
// CHECK-SAME:  tensor<4xi64> {train.is = #train.input<"label", batch = 0, limit = 7, ignore = -100>}
// CHECK-SAME:  tensor<4xi16> {train.is = #train.input<"other", batch = 0, limit = 7>}
// CHECK:       train.cast %{{.*}} : tensor<4xi64> to tensor<4xi32>
// CHECK:       train.cast %{{.*}} : tensor<4xi16> to tensor<4xi32>
// CHECK-LABEL: train.func @export.moved
// CHECK-SAME:  tensor<4x6xi64> {train.is = #train.input<"token", batch = 0, runs = [#train.limits<1>, #train.limits<4, limit = 5>, #train.limits<1>]>}
// CHECK-SAME:  tensor<4x2xi8> {train.is = #train.input<"small", batch = 0, limit = 5>}
// CHECK-NOT:   train.compare
// CHECK-LABEL: train.func @export.narrowed
// CHECK-SAME:  {train.is = #train.input<"number", batch = 0, limit = 2147483648, least = -2147483648>}
// CHECK-SAME:  {train.is = #train.input<"truth", batch = 0>}
// CHECK-LABEL: train.func @export.ends
// CHECK-SAME:  {train.is = #train.input<"row", batch = 0, limit = 5, least = -5>}
// CHECK:       train.add
// CHECK:       train.select
// CHECK:       train.gather
// CHECK-NOT:   from_end
// CHECK:       train.gather {{.*}} padding 4
// CHECK-NOT:   from_end
// CHECK-LABEL: train.func @export.bytes
// CHECK-SAME:  tensor<4x2x3xi8> {train.is = #train.input<"image", batch = 0, without_sign = true>}
// CHECK-SAME:  tensor<4xi8> {train.is = #train.input<"row", batch = 0, limit = 5, without_sign = true>}
// CHECK:       train.reshape %{{.*}} : tensor<4x2x3xi8> to tensor<4x6xi8>
// CHECK:       train.cast %{{.*}} {is_unsigned} : tensor<4x6xi8> to tensor<4x6xf32>
// CHECK:       train.cast %{{.*}} {is_unsigned} : tensor<4xi8> to tensor<4xi32>
// CHECK-LABEL: train.func @export.computed
// CHECK-SAME:  {train.is = #train.input<"a", batch = 0>}
// CHECK-COUNT-2: train.select
// CHECK:       train.cast %{{.*}} : tensor<4xi64> to tensor<4xi32>
