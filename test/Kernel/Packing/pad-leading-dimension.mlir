// RUN: ampc-opt %s --kernel-pad-leading-dimension | FileCheck %s
// RUN: sed s/sm_90a/cpu/ %s | ampc-opt --kernel-pad-leading-dimension | FileCheck %s --check-prefix=CPU
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#km = affine_map<(m, n, k) -> (k, m)>
#mn = affine_map<(m, n) -> (m, n)>
#row = affine_map<(a, m, n) -> (m, n)>
#all = affine_map<(a, m, n) -> (a, m, n)>

// Scores, the exponentials and reshapes of scores get longer rows; spaces and maps stay, and so do results of the program and short rows.
// CPU-NOT: 504x
module attributes {kernel.target = "sm_90a"} {
  // CHECK-LABEL: kernel.program @scores
  kernel.program @scores(%x: tensor<64x32xbf16>, %w: tensor<501x32xbf16>) -> (tensor<64x32xf32>, tensor<501x32xf32>, tensor<64x501xf32>, tensor<64xf32>) {
    // CHECK: kernel.gemm {{.*}} space [64, 501] depth 32
    // CHECK: } : tensor<64x504xf32>
    %y = kernel.gemm %x, %w : tensor<64x32xbf16>, tensor<501x32xbf16> acc f32 maps [#mk, #nk] space [64, 501] depth 32 epilogue () maps [] -> [#mn] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<64x501xf32>
    // CHECK: kernel.map(%{{.*}} : tensor<64x504xf32>) space [1, 64, 501]
    // CHECK: } : tensor<1x64x504xbf16>
    %e = kernel.map(%y : tensor<64x501xf32>) space [1, 64, 501] maps [#row] -> [#all] {
    ^bb0(%a: f32):
      %0 = math.exp %a : f32
      %1 = arith.truncf %0 : f32 to bf16
      kernel.yield %1 : bf16
    } : tensor<1x64x501xbf16>
    // CHECK: kernel.view %{{.*}} : tensor<1x64x504xbf16> to tensor<64x504xbf16>
    %flat = kernel.view %e : tensor<1x64x501xbf16> to tensor<64x501xbf16>
    // CHECK: kernel.gemm {{.*}} : tensor<64x504xbf16>, tensor<501x32xbf16> {{.*}} space [64, 32] depth 501
    %dx = kernel.gemm %flat, %w : tensor<64x501xbf16>, tensor<501x32xbf16> acc f32 maps [#mk, #kn] space [64, 32] depth 501 epilogue () maps [] -> [#mn] {
    ^bb0(%sum: f32):
      kernel.yield %sum : f32
    } : tensor<64x32xf32>
    // Inside a kernel with reductions, too.
    // CHECK: kernel.fused_reduction(%{{.*}}, %{{.*}} : tensor<64x504xbf16>, tensor<64x32xbf16>)
    // CHECK: ^bb0(%{{.*}}: tensor<64x504xbf16>, %{{.*}}: tensor<64x32xbf16>)
    %dw, %total = kernel.fused_reduction(%flat, %x : tensor<64x501xbf16>, tensor<64x32xbf16>) of {
    ^bb0(%l: tensor<64x501xbf16>, %r: tensor<64x32xbf16>):
      %g = kernel.gemm %l, %r : tensor<64x501xbf16>, tensor<64x32xbf16> acc f32 maps [#km, #kn] space [501, 32] depth 64 epilogue () maps [] -> [#mn] {
      ^bb0(%sum: f32):
        kernel.yield %sum : f32
      } : tensor<501x32xf32>
      kernel.yield %g : tensor<501x32xf32>
    } sum {
    ^bb0(%element: f32):
      %2 = arith.mulf %element, %element : f32
      kernel.yield %2 : f32
    } : tensor<501x32xf32>, tensor<f32>
    // Results of the program keep the length of rows.
    // CHECK: } : tensor<64x501xf32>
    %out = kernel.map(%y : tensor<64x501xf32>) space [64, 501] maps [#mn] -> [#mn] {
    ^bb0(%a: f32):
      %3 = arith.negf %a : f32
      kernel.yield %3 : f32
    } : tensor<64x501xf32>
    // Rows of 101 f32 are short.
    // CHECK: } : tensor<64x101xf32>
    %short = kernel.map(%y : tensor<64x501xf32>) space [64, 101] maps [#mn] -> [#mn] {
    ^bb0(%a: f32):
      kernel.yield %a : f32
    } : tensor<64x101xf32>
    %sums = kernel.reduce sum(%short : tensor<64x101xf32>) space [64, 101, 1] maps [affine_map<(m, n, z) -> (m, n)>] -> [affine_map<(m, n, z) -> (m)>] {
    ^bb0(%a: f32):
      kernel.yield %a : f32
    } : tensor<64xf32>
    kernel.return %dx, %dw, %out, %sums : tensor<64x32xf32>, tensor<501x32xf32>, tensor<64x501xf32>, tensor<64xf32>
  }
}
