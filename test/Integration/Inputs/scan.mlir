// A recurrence and the reverse recurrence, as programs that call a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {train.phase = "kernels"} {
  train.model @scan {
    train.param @decay : tensor<4xf32> = #train.fill<0.5>
  }
  // state * decay + x, and the square.
  kernel.program @step(%state: tensor<4xf32> {train.is = #train.input<"state">}, %x: tensor<4xf32> {train.is = #train.input<"x">},
                       %decay: tensor<4xf32> {train.is = #train.input<"decay">})
      -> (tensor<4xf32> {train.is = #train.output<named, name = "next">}, tensor<4xf32> {train.is = #train.output<named, name = "square">})
      attributes {role = #train.role<part>} {
    %kept = kernel.map(%state, %decay : tensor<4xf32>, tensor<4xf32>) space [4] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<4xf32>
    %next = kernel.map(%kept, %x : tensor<4xf32>, tensor<4xf32>) space [4] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      kernel.yield %0 : f32
    } : tensor<4xf32>
    %square = kernel.map(%next : tensor<4xf32>) space [4] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = arith.mulf %a, %a : f32
      kernel.yield %0 : f32
    } : tensor<4xf32>
    kernel.return %next, %square : tensor<4xf32>, tensor<4xf32>
  }
  // Five steps; calls may be nested.
  kernel.program @chunk(%state: tensor<4xf32> {train.is = #train.input<"state">}, %xs: tensor<5x4xf32> {train.is = #train.input<"xs">},
                        %decay: tensor<4xf32> {train.is = #train.input<"decay">})
      -> (tensor<4xf32> {train.is = #train.output<named, name = "last">}, tensor<5x4xf32> {train.is = #train.output<named, name = "squares">})
      attributes {role = #train.role<part>} {
    %last, %squares = kernel.call @step(%state, %xs, %decay : tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>) times 5 carried 1 : tensor<4xf32>, tensor<5x4xf32>
    kernel.return %last, %squares : tensor<4xf32>, tensor<5x4xf32>
  }
  kernel.program @forward(%decay: tensor<4xf32> {train.is = #train.state<@decay>}, %first: tensor<4xf32> {train.is = #train.input<"first">},
                          %xs: tensor<2x5x4xf32> {train.is = #train.input<"xs">})
      -> (tensor<4xf32> {train.is = #train.output<named, name = "last">}, tensor<2x5x4xf32> {train.is = #train.output<named, name = "squares">})
      attributes {role = #train.role<export>, export_name = "forward"} {
    %last, %squares = kernel.call @chunk(%first, %xs, %decay : tensor<4xf32>, tensor<2x5x4xf32>, tensor<4xf32>) times 2 carried 1 : tensor<4xf32>, tensor<2x5x4xf32>
    kernel.return %last, %squares : tensor<4xf32>, tensor<2x5x4xf32>
  }
  kernel.program @backward(%decay: tensor<4xf32> {train.is = #train.state<@decay>}, %first: tensor<4xf32> {train.is = #train.input<"first">},
                           %xs: tensor<5x4xf32> {train.is = #train.input<"xs">})
      -> (tensor<4xf32> {train.is = #train.output<named, name = "last">}, tensor<5x4xf32> {train.is = #train.output<named, name = "squares">})
      attributes {role = #train.role<export>, export_name = "backward"} {
    %last, %squares = kernel.call @step(%first, %xs, %decay : tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>) times 5 carried 1 reverse : tensor<4xf32>, tensor<5x4xf32>
    %once, %unused = kernel.call @step(%last, %first, %decay : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) : tensor<4xf32>, tensor<4xf32>
    kernel.return %once, %squares : tensor<4xf32>, tensor<5x4xf32>
  }
}
