// A kernel of more tasks than a total has parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#lhs = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#rhs = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
kernel.program @batch(%a: tensor<601x5x3xf32>, %b: tensor<601x3x7xf32>) -> tensor<601x5x7xf32> {
  %r = kernel.gemm %a, %b : tensor<601x5x3xf32>, tensor<601x3x7xf32> acc f32 maps [#lhs, #rhs] space [601, 5, 7] depth 3
    epilogue () maps [] -> [#all] attributes {test.tolerance = 0.00003} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<601x5x7xf32>
  kernel.return %r : tensor<601x5x7xf32>
}
