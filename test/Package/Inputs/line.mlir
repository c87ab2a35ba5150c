// A planned model by hand: w * x + 0.5 fits labels; loss = sum of squares of w * x - label.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>
module attributes {kernel.state_bytes = 320 : i64} {
  train.model @line {
    train.param @w : tensor<8xf32> = #train.uniform<low = -1.0, high = 1.0> {kernel.offset = 0 : i64}
    train.buffer @fit.m.w : tensor<8xf32> = #train.zeros as moment {kernel.offset = 64 : i64}
    train.buffer @fit.step : tensor<i64> = #train.zeros as step in "fit" {kernel.offset = 128 : i64}
    train.buffer @random : tensor<2xi64> = #train.zeros as random {kernel.offset = 192 : i64}
    train.buffer @fit.gradient.w : tensor<8xf32> = #train.zeros as gradient {kernel.offset = 256 : i64}
  }
  kernel.program @fit.train(%w: tensor<8xf32> {train.is = #train.state<@w>}, %m: tensor<8xf32> {train.is = #train.state<@fit.m.w>},
      %step: tensor<i64> {train.is = #train.state<@fit.step>}, %x: tensor<8xf32> {train.is = #train.input<"x", batch = 0>},
      %label: tensor<8xi32> {train.is = #train.input<"size", batch = 0, limit = 10, ignore = -1>},
      %lr: tensor<f32> {train.is = #train.control<lr_factor>})
      -> (tensor<f32> {train.is = #train.output<loss>}, tensor<8xf32> {train.is = #train.state<@w>}, tensor<8xf32> {train.is = #train.state<@fit.m.w>}, tensor<i64> {train.is = #train.state<@fit.step>})
      attributes {role = #train.role<train>, step = "fit", batch = 8 : i64, arena_bytes = 64 : i64,
                  optimizer = #train.sgd<lr = 0.1, momentum = 0.9>} {
    %loss, %error = kernel.map(%w, %x, %label : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) space [8] maps [#id, #id, #id] -> [#zero, #id]
        attributes {kernel.places = [#kernel.place<output, 0, 0>, #kernel.place<arena, 0, 0>]} {
    ^bb0(%a: f32, %b: f32, %c: i32):
      %y = arith.mulf %a, %b : f32
      %t = arith.sitofp %c : i32 to f32
      %d = arith.subf %y, %t : f32
      %s = arith.mulf %d, %d : f32
      %r = kernel.row_reduce sum %s : f32
      kernel.yield %r, %d : f32, f32
    } : tensor<f32>, tensor<8xf32>
    %w2, %m2 = kernel.map(%w, %m, %error, %x, %lr : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) space [8]
        maps [#id, #id, #id, #id, #zero] -> [#id, #id]
        attributes {kernel.places = [#kernel.place<state, 0, 0>, #kernel.place<state, 0, 64>]} {
    ^bb0(%a: f32, %v: f32, %e: f32, %b: f32, %f: f32):
      %two = arith.constant 2.0 : f32
      %rate = arith.constant 0.1 : f32
      %keep = arith.constant 0.9 : f32
      %eb = arith.mulf %e, %b : f32
      %g = arith.mulf %two, %eb : f32
      %kv = arith.mulf %keep, %v : f32
      %v2 = arith.addf %kv, %g : f32
      %lr2 = arith.mulf %rate, %f : f32
      %d = arith.mulf %lr2, %v2 : f32
      %a2 = arith.subf %a, %d : f32
      kernel.yield %a2, %v2 : f32, f32
    } : tensor<8xf32>, tensor<8xf32>
    %next = kernel.map(%step : tensor<i64>) space [] maps [#scalar] -> [#scalar]
        attributes {kernel.places = [#kernel.place<state, 0, 128>]} {
    ^bb0(%n: i64):
      %one = arith.constant 1 : i64
      %n2 = arith.addi %n, %one : i64
      kernel.yield %n2 : i64
    } : tensor<i64>
    kernel.return %loss, %w2, %m2, %next : tensor<f32>, tensor<8xf32>, tensor<8xf32>, tensor<i64>
  }
  kernel.program @export.predict(%w: tensor<8xf32> {train.is = #train.state<@w>}, %x: tensor<8xf32> {train.is = #train.input<"x", batch = 0>})
      -> (tensor<8xf32> {train.is = #train.output<named, name = "y">})
      attributes {role = #train.role<export>, export_name = "predict", batch = 8 : i64, arena_bytes = 0 : i64} {
    %half = kernel.constant dense<0.5> : tensor<8xf32> {kernel.places = [#kernel.place<constant, 0, 0>]}
    %y = kernel.map(%w, %x, %half : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) space [8] maps [#id, #id, #id] -> [#id]
        attributes {kernel.places = [#kernel.place<output, 0, 0>]} {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %c : f32
      kernel.yield %s : f32
    } : tensor<8xf32>
    kernel.return %y : tensor<8xf32>
  }
}
