// RUN: ampc-opt %s --kernel-configure --kernel-plan | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients lie behind everything that is saved.
// CHECK: module attributes {kernel.state_bytes = 704 : i64}
// CHECK: @w : tensor<16xf32> = #train.zeros {kernel.offset = 0 : i64}
// CHECK: @g : tensor<16xf32> = #train.zeros as gradient {kernel.offset = 640 : i64}
// CHECK: @m : tensor<16xf32> = #train.zeros as moment {kernel.offset = 64 : i64}
// CHECK: @big : tensor<8x8xf32> = #train.zeros {kernel.offset = 128 : i64}
train.model @plan {
  train.param @w : tensor<16xf32> = #train.zeros
  train.buffer @g : tensor<16xf32> = #train.zeros as gradient
  train.buffer @m : tensor<16xf32> = #train.zeros as moment
  train.param @big : tensor<8x8xf32> = #train.zeros
  train.param @more : tensor<8x8xf32> = #train.zeros
}

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#km = affine_map<(d0, d1, d2) -> (d2, d0)>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>

// The update of %w is written in place, behind the last reader of the old value and behind the loss.
// CHECK-LABEL: kernel.program @order
// CHECK-SAME: loss_ready = 1
// CHECK: kernel.places = [#kernel.place<output, 0, 0>]
// CHECK: math.exp
// CHECK: kernel.places = [#kernel.place<output, 1, 0>]
// CHECK: arith.negf
// CHECK: kernel.places = [#kernel.place<state, 0, 0>]
// CHECK: arith.addf
kernel.program @order(%w: tensor<16xf32> {train.is = #train.state<@w>}, %x: tensor<16xf32> {train.is = #train.input<"x">})
    -> (tensor<16xf32> {train.is = #train.state<@w>}, tensor<16xf32> {train.is = #train.output<loss>}, tensor<16xf32> {train.is = #train.output<named, name = "old">}) {
  %0 = kernel.map(%w, %x : tensor<16xf32>, tensor<16xf32>) space [16] maps [#id, #id] -> [#id] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s : f32
  } : tensor<16xf32>
  %1 = kernel.map(%x : tensor<16xf32>) space [16] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %s = math.exp %a : f32
    kernel.yield %s : f32
  } : tensor<16xf32>
  %2 = kernel.map(%w : tensor<16xf32>) space [16] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    kernel.yield %s : f32
  } : tensor<16xf32>
  kernel.return %0, %1, %2 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// A transposed update reads overwritten elements, so the update needs a copy.
// CHECK-LABEL: kernel.program @transposed
// CHECK: maps [#{{.*}}] -> [#{{.*}}] attributes {kernel.places = [#kernel.place<arena, 0, 0>]}
// CHECK: %[[COPY:.*]] = kernel.map({{.*}}) {{.*}} attributes {kernel.places = [#kernel.place<state, 0, 128>]}
// CHECK: kernel.return %[[COPY]]
kernel.program @transposed(%w: tensor<8x8xf32> {train.is = #train.state<@big>}) -> (tensor<8x8xf32> {train.is = #train.state<@big>}) {
  %0 = kernel.map(%w : tensor<8x8xf32>) space [8, 8] maps [#swap] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  kernel.return %0 : tensor<8x8xf32>
}

// An update by a product that reads the state as a matrix needs a copy, too.
// CHECK-LABEL: kernel.program @product
// CHECK: kernel.gemm {{.*}} attributes {{{.*}}kernel.places = [#kernel.place<arena, 0, 0>]}
// CHECK: kernel.map({{.*}} attributes {kernel.places = [#kernel.place<state, 0, 128>]}
kernel.program @product(%w: tensor<8x8xf32> {train.is = #train.state<@big>}) -> (tensor<8x8xf32> {train.is = #train.state<@big>}) {
  %0 = kernel.gemm %w, %w : tensor<8x8xf32>, tensor<8x8xf32> acc f32 maps [#mk, #kn] space [8, 8] depth 8 epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  kernel.return %0 : tensor<8x8xf32>
}

// Unchanged state costs nothing; exchanged states need a single copy through the arena.
// CHECK-LABEL: kernel.program @exchange
// CHECK: %[[TEMP:.*]] = kernel.map(%{{.*}}) {{.*}} attributes {kernel.places = [#kernel.place<arena, 0, 0>]{{.*}}}
// CHECK: kernel.map(%{{.*}}) {{.*}} attributes {kernel.places = [#kernel.place<state, 0, 0>]{{.*}}}
// CHECK: kernel.map(%[[TEMP]] {{.*}} attributes {kernel.places = [#kernel.place<state, 0, 64>]{{.*}}}
// CHECK: kernel.return
kernel.program @exchange(%w: tensor<16xf32> {train.is = #train.state<@w>}, %m: tensor<16xf32> {train.is = #train.state<@m>}, %g: tensor<16xf32> {train.is = #train.state<@g>})
    -> (tensor<16xf32> {train.is = #train.state<@w>}, tensor<16xf32> {train.is = #train.state<@m>}, tensor<16xf32> {train.is = #train.state<@g>}) {
  kernel.return %m, %w, %g : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// Outputs that are inputs, constants, or other outputs are copied. Equal constants share a place.
// CHECK-LABEL: kernel.program @outputs
// CHECK: %[[C:.*]] = kernel.constant {{.*}} {kernel.places = [#kernel.place<constant, 0, 0>]}
// CHECK: %[[X:.*]] = kernel.map(%{{.*}} attributes {kernel.places = [#kernel.place<output, 0, 0>]{{.*}}}
// CHECK: %[[K:.*]] = kernel.map(%[[C]] {{.*}} attributes {kernel.places = [#kernel.place<output, 1, 0>]{{.*}}}
// CHECK: %[[S:.*]] = kernel.map(%[[C]] {{.*}} attributes {kernel.places = [#kernel.place<output, 2, 0>]{{.*}}}
kernel.program @outputs(%x: tensor<2xf32> {train.is = #train.input<"x">})
    -> (tensor<2xf32> {train.is = #train.output<named, name = "a">}, tensor<2xf32> {train.is = #train.output<named, name = "b">}, tensor<2xf32> {train.is = #train.output<named, name = "c">}) {
  %0 = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32>
  kernel.return %x, %0, %0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// A pointwise result takes over the buffer that dies there; a product cannot. Lives that do not meet share bytes.
// CHECK-LABEL: kernel.program @arena
// CHECK-SAME: arena_bytes = 512 : i64, unshared_bytes = 1024 : i64
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 256>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<output, 0, 0>]
kernel.program @arena(%x: tensor<8x8xf32> {train.is = #train.input<"x">}) -> (tensor<8x8xf32> {train.is = #train.output<named, name = "y">}) {
  %0 = kernel.map(%x : tensor<8x8xf32>) space [8, 8] maps [#swap] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %1 = kernel.map(%0 : tensor<8x8xf32>) space [8, 8] maps [#id2] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %2 = kernel.gemm %1, %1 : tensor<8x8xf32>, tensor<8x8xf32> acc f32 maps [#mk, #kn] space [8, 8] depth 8 epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %3 = kernel.map(%2 : tensor<8x8xf32>) space [8, 8] maps [#swap] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %4 = kernel.gemm %3, %3 : tensor<8x8xf32>, tensor<8x8xf32> acc f32 maps [#mk, #kn] space [8, 8] depth 8 epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  kernel.return %4 : tensor<8x8xf32>
}

// A packed result has the elements in another order than the input, and so another buffer.
// CHECK-LABEL: kernel.program @packed
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 4096>]
kernel.program @packed(%x: tensor<32x32xf32> {train.is = #train.input<"x">}) -> (tensor<32x32xf32> {train.is = #train.output<named, name = "y">}) {
  %0 = kernel.map(%x : tensor<32x32xf32>) space [32, 32] maps [#swap] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<32x32xf32>
  %1 = kernel.map(%0 : tensor<32x32xf32>) space [32, 32] maps [#id2] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<32x32xf32, #kernel.packed<rhs, depth = 0, bytes = 4096>>
  %2 = kernel.gemm %x, %1 : tensor<32x32xf32>, tensor<32x32xf32, #kernel.packed<rhs, depth = 0, bytes = 4096>> acc f32 maps [#mk, #kn] space [32, 32] depth 32
    epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<32x32xf32>
  kernel.return %2 : tensor<32x32xf32>
}

// State that is computed with the loss waits for the loss: the new value is copied afterwards.
// CHECK-LABEL: kernel.program @with_loss
// CHECK-SAME: loss_ready = 2
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>, #kernel.place<arena, 0, 64>]
// CHECK: kernel.places = [#kernel.place<output, 0, 0>]
// CHECK: kernel.places = [#kernel.place<state, 0, 0>]
kernel.program @with_loss(%w: tensor<16xf32> {train.is = #train.state<@w>}, %x: tensor<16xf32> {train.is = #train.input<"x">})
    -> (tensor<16xf32> {train.is = #train.state<@w>}, tensor<16xf32> {train.is = #train.output<loss>}) {
  %0:2 = kernel.map(%w, %x : tensor<16xf32>, tensor<16xf32>) space [16] maps [#id, #id] -> [#id, #id] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s, %a : f32, f32
  } : tensor<16xf32>, tensor<16xf32>
  %1 = kernel.map(%0#1 : tensor<16xf32>) space [16] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<16xf32>
  kernel.return %0#0, %1 : tensor<16xf32>, tensor<16xf32>
}

// Partial sums of a long reduction are arena memory while the reduction runs.
// CHECK-LABEL: kernel.program @workspace
// CHECK-SAME: arena_bytes = 8192
// CHECK: kernel.reduce {{.*}} attributes {kernel.places = [#kernel.place<output, 0, 0>], kernel.workspace = 0 : i64, parts = 16 : i64, workspace_bytes = 8192 : i64}
kernel.program @workspace(%x: tensor<1x4096x128xf32> {train.is = #train.input<"x">}) -> (tensor<1x128xf32> {train.is = #train.output<named, name = "y">}) {
  %0 = kernel.reduce sum (%x : tensor<1x4096x128xf32>) space [1, 4096, 128]
      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d0, d2)>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<1x128xf32>
  kernel.return %0 : tensor<1x128xf32>
}

// Each update follows the gradient of the same parameter, not all gradients: a single buffer serves both.
// CHECK-LABEL: kernel.program @updates
// CHECK-SAME: arena_bytes = 320 : i64
// CHECK: kernel.places = [#kernel.place<arena, 0, 256>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<state, 0, 128>]
// CHECK: kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.places = [#kernel.place<state, 0, 384>]
kernel.program @updates(%w: tensor<8x8xf32> {train.is = #train.state<@big>}, %v: tensor<8x8xf32> {train.is = #train.state<@more>},
                        %x: tensor<8x8xf32> {train.is = #train.input<"x">}, %y: tensor<f32> {train.is = #train.input<"y">})
    -> (tensor<8x8xf32> {train.is = #train.state<@big>}, tensor<8x8xf32> {train.is = #train.state<@more>}) {
  %0 = kernel.gemm %x, %x : tensor<8x8xf32>, tensor<8x8xf32> acc f32 maps [#mk, #kn] space [8, 8] depth 8 epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %1 = kernel.gemm %x, %x : tensor<8x8xf32>, tensor<8x8xf32> acc f32 maps [#km, #kn] space [8, 8] depth 8 epilogue() maps [] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %2 = kernel.map(%y : tensor<f32>) space [] maps [affine_map<() -> ()>] -> [affine_map<() -> ()>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<f32>
  %3 = kernel.map(%w, %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) space [8, 8] maps [#id2, #id2, affine_map<(d0, d1) -> ()>] -> [#id2] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %4 = kernel.map(%v, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>) space [8, 8] maps [#id2, #id2, affine_map<(d0, d1) -> ()>] -> [#id2] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  kernel.return %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Rows are written to the table in place, behind the table's readers. A table that is neither a state's old value nor a buffer without other readers
// is copied first.
// CHECK-LABEL: kernel.program @rows
// CHECK: kernel.gather {{.*}} {kernel.places = [#kernel.place<arena, 0, 256>]}
// CHECK: kernel.scatter_rows %{{.*}}, %{{.*}} into %arg0 {kernel.places = [#kernel.place<state, 0, 128>]}
// CHECK: %[[COPY:.*]] = kernel.map(%arg1 {{.*}}kernel.places = [#kernel.place<arena, 0, 0>]
// CHECK: kernel.scatter_rows %{{.*}}, %{{.*}} into %[[COPY]] {kernel.places = [#kernel.place<arena, 0, 0>]}
kernel.program @rows(%w: tensor<8x8xf32> {train.is = #train.state<@big>}, %x: tensor<8x8xf32> {train.is = #train.input<"x">}, %i: tensor<4xi32> {train.is = #train.input<"i">})
    -> (tensor<8x8xf32> {train.is = #train.state<@big>}, tensor<8x8xf32> {train.is = #train.output<named, name = "y">}) {
  %r = kernel.gather %w, %i : tensor<8x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  %0 = kernel.scatter_rows %r, %i into %w : tensor<4x8xf32>, tensor<4xi32>, tensor<8x8xf32>
  %1 = kernel.scatter_rows %r, %i into %x : tensor<4x8xf32>, tensor<4xi32>, tensor<8x8xf32>
  %2 = kernel.map(%1, %x : tensor<8x8xf32>, tensor<8x8xf32>) space [8, 8] maps [#id2, #id2] -> [#id2] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    kernel.yield %s : f32
  } : tensor<8x8xf32>
  kernel.return %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A table whose rows all move in every step is updated in place before the rows are written.
// CHECK-LABEL: kernel.program @moved_rows
// CHECK: kernel.gather
// CHECK: kernel.map({{.*}}kernel.places = [#kernel.place<state, 0, 128>]
// CHECK: kernel.scatter_rows {{.*}} {kernel.places = [#kernel.place<state, 0, 128>]}
// CHECK-NEXT: kernel.return
kernel.program @moved_rows(%w: tensor<8x8xf32> {train.is = #train.state<@big>}, %i: tensor<4xi32> {train.is = #train.input<"i">}) -> (tensor<8x8xf32> {train.is = #train.state<@big>}) {
  %0 = kernel.map(%w : tensor<8x8xf32>) space [8, 8] maps [#id2] -> [#id2] {
  ^bb0(%a: f32):
    %s = arith.negf %a : f32
    kernel.yield %s : f32
  } : tensor<8x8xf32>
  %r = kernel.gather %w, %i : tensor<8x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
  %1 = kernel.scatter_rows %r, %i into %0 : tensor<4x8xf32>, tensor<4xi32>, tensor<8x8xf32>
  kernel.return %1 : tensor<8x8xf32>
}

// Views stand behind the viewed values, in the original order of the views: the order of uses differs.
// CHECK-LABEL: kernel.program @views
// CHECK: %[[X:.*]] = kernel.map(%arg0
// CHECK: %[[A:.*]] = kernel.view %[[X]] : tensor<8x8xf32> to tensor<64xf32>
// CHECK-NEXT: %[[B:.*]] = kernel.view %[[X]] : tensor<8x8xf32> to tensor<4x16xf32>
// CHECK-NEXT: kernel.map(%[[A]]
// CHECK: kernel.map(%[[B]]
kernel.program @views(%x: tensor<8x8xf32> {train.is = #train.input<"x">}) -> (tensor<64xf32> {train.is = #train.output<named, name = "y">}, tensor<4x16xf32> {train.is = #train.output<named, name = "z">}) {
  %0 = kernel.map(%x : tensor<8x8xf32>) space [8, 8] maps [#swap] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8x8xf32>
  %1 = kernel.view %0 : tensor<8x8xf32> to tensor<64xf32>
  %2 = kernel.view %0 : tensor<8x8xf32> to tensor<4x16xf32>
  %3 = kernel.map(%1 : tensor<64xf32>) space [64] maps [#id] -> [#id] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<64xf32>
  %4 = kernel.map(%2 : tensor<4x16xf32>) space [4, 16] maps [#id2] -> [#id2] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<4x16xf32>
  kernel.return %3, %4 : tensor<64xf32>, tensor<4x16xf32>
}
