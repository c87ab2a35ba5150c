// On sm_90a warpgroups form products of 16 bits, except small products copied in pieces, where tiles by warps are faster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc-kernel-run --target=sm_90a --emit=nvvm %s | FileCheck %s

#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n) -> (m, n)>
// CHECK: form = "tiles of {{.*}}, no warpgroups: the product is small and operands would be copied in pieces"
kernel.program @small(%x: tensor<512x130xbf16>, %w: tensor<512x33xbf16>) -> tensor<130x33xf32> {
  %y = kernel.gemm %x, %w : tensor<512x130xbf16>, tensor<512x33xbf16> acc f32 maps [#km, #kn] space [130, 33] depth 512 epilogue () maps [] -> [#mn] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<130x33xf32>
  kernel.return %y : tensor<130x33xf32>
}
// A small product that the hardware copies is no exception.
// CHECK-SAME: form = "warpgroups: {{[^"]*}}tensor copies"
kernel.program @aligned(%x: tensor<512x136xbf16>, %w: tensor<512x40xbf16>) -> tensor<136x40xf32> {
  %y = kernel.gemm %x, %w : tensor<512x136xbf16>, tensor<512x40xbf16> acc f32 maps [#km, #kn] space [136, 40] depth 512 epilogue () maps [] -> [#mn] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<136x40xf32>
  kernel.return %y : tensor<136x40xf32>
}
// Pieces of 8 bytes are in flight while other pieces are multiplied.
// CHECK-SAME: form = "warpgroups: {{[^"]*}}right side in pieces of 8 bytes"
kernel.program @pieces(%x: tensor<512x136xbf16>, %w: tensor<512x36xbf16>) -> tensor<136x36xf32> {
  %y = kernel.gemm %x, %w : tensor<512x136xbf16>, tensor<512x36xbf16> acc f32 maps [#km, #kn] space [136, 36] depth 512 epilogue () maps [] -> [#mn] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<136x36xf32>
  kernel.return %y : tensor<136x36xf32>
}
// Warpgroups take turns where a body for which all warpgroups would wait takes long, and each warpgroup has several tiles.
#id = affine_map<(m, n) -> (m, n)>
#rows = affine_map<(m, n, k) -> (m, k)>
// CHECK-SAME: form = "warpgroups: tiles of 64x256x64 in 5 stages, ping-pong, clusters of
// CHECK-SAME: form = "warpgroups: tiles of 128x{{[^"]*}} stages, clusters
kernel.program @body(%x: tensor<16384x768xbf16>, %w: tensor<768x768xbf16>, %r: tensor<16384x768xf32>) -> tensor<16384x768xf32> {
  %y = kernel.gemm %x, %w : tensor<16384x768xbf16>, tensor<768x768xbf16> acc f32 maps [#rows, #kn] space [16384, 768] depth 768 epilogue (%r : tensor<16384x768xf32>) maps [#id] -> [#mn] {
  ^bb0(%sum: f32, %residual: f32):
    %0 = arith.addf %sum, %residual : f32
    kernel.yield %0 : f32
  } : tensor<16384x768xf32>
  kernel.return %y : tensor<16384x768xf32>
}
kernel.program @few_tiles(%x: tensor<2048x768xbf16>, %w: tensor<768x768xbf16>, %r: tensor<2048x768xf32>) -> tensor<2048x768xf32> {
  %y = kernel.gemm %x, %w : tensor<2048x768xbf16>, tensor<768x768xbf16> acc f32 maps [#rows, #kn] space [2048, 768] depth 768 epilogue (%r : tensor<2048x768xf32>) maps [#id] -> [#mn] {
  ^bb0(%sum: f32, %residual: f32):
    %0 = arith.addf %sum, %residual : f32
    kernel.yield %0 : f32
  } : tensor<2048x768xf32>
  kernel.return %y : tensor<2048x768xf32>
}
// A gradient before a vocabulary: lines of the gradient and of the weights start at any address.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
// CHECK-SAME: form = "warpgroups: {{[^"]*}}left side in pieces of 2 bytes, right side in pieces of 2 bytes
kernel.program @vocabulary(%x: tensor<1024x50257xbf16>, %w: tensor<768x50257xbf16>) -> tensor<1024x768xf32> {
  %y = kernel.gemm %x, %w : tensor<1024x50257xbf16>, tensor<768x50257xbf16> acc f32 maps [#mk, #nk] space [1024, 768] depth 50257 epilogue () maps [] -> [#mn] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<1024x768xf32>
  kernel.return %y : tensor<1024x768xf32>
}
