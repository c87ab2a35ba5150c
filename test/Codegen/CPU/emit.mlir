// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=avx512,amx" | FileCheck %s
// RUN: %ampc-opt %s --kernel-configure --kernel-emit="tiers=plain prefix=digits" | FileCheck %s --check-prefix=PLAIN
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Equal kernels share a function; the AMX tier shares that of AVX-512.
// CHECK: module attributes {kernel.functions = [{finish = 0 : i64, name = "model_k0", scratch = array<i64: 0, 0, 0, 0, 0, 0>,
// CHECK-SAME: tasks = array<i64: 1, 1, 1, 1, 1, 1>, tiers = ["", "", "avx512", "", "avx512", ""]},
// CHECK-SAME: {finish = 1 : i64, name = "model_k1"
// PLAIN: name = "digits_k0"{{.*}}tiers = ["plain", "", "", "", "", ""]

// CHECK-LABEL: kernel.program @two
// CHECK: kernel.map{{.*}}kernel.function = 0
// CHECK: kernel.map{{.*}}kernel.function = 0
// CHECK: kernel.reduce{{.*}}kernel.function = 1
kernel.program @two(%x: tensor<40xf32>, %s: tensor<f32>, %y: tensor<100000xf32>) -> (tensor<40xf32>, tensor<f32>) {
  %0 = kernel.map(%x, %s : tensor<40xf32>, tensor<f32>) space [40] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
      -> [affine_map<(d0) -> (d0)>] attributes {note = "first"} {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %b : f32
    %p = arith.mulf %a, %e : f32
    kernel.yield %p : f32
  } : tensor<40xf32>
  %1 = kernel.map(%0, %s : tensor<40xf32>, tensor<f32>) space [40] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]
      -> [affine_map<(d0) -> (d0)>] attributes {note = "second"} {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %b : f32
    %p = arith.mulf %a, %e : f32
    kernel.yield %p : f32
  } : tensor<40xf32>
  %2 = kernel.reduce sum (%y : tensor<100000xf32>) space [1, 100000, 1] maps [affine_map<(d0, d1, d2) -> (d1)>]
      -> [affine_map<(d0, d1, d2) -> ()>] {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<f32>
  kernel.return %1, %2 : tensor<40xf32>, tensor<f32>
}

// The scalar's exponential stands before the loop; the 8 elements that do not fill a vector are masked.
// CHECK-LABEL: module @tier_avx512 attributes {kernel.tier = "avx512"}
// CHECK: llvm.func hidden @model_k0_avx512(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-SAME: target_features = #llvm.target_features<["+avx2"
// CHECK: math.exp %{{.*}} : f32
// CHECK: scf.for
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.load
// CHECK-NOT: math.exp
// CHECK: llvm.func hidden @model_k1_avx512(
// CHECK: llvm.func hidden @model_k1_avx512_finish(
// CHECK-NOT: module @tier_amx

// PLAIN-LABEL: module @tier_plain
// PLAIN: arith.mulf %{{.*}} : vector<4xf32>
