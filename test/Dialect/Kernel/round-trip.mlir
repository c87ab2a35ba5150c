// RUN: %ampc-opt %s | %ampc-opt | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#rows = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#part = affine_map<(d0, d1, d2) -> (d1, d0 * 4 + d2)>
#bias = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-LABEL: kernel.program @attention
kernel.program @attention(%q: tensor<8x8xbf16>, %k: tensor<2x9x4xbf16>, %b: tensor<9xf32>) {
  // CHECK: %[[O:.*]]:2 = kernel.attention(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<9xf32>) acc f32 batch [2] queries 8 keys 9 width 4 scale 5.000000e-01 causal biased maps [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}] -> [#{{.*}}, #{{.*}}] : tensor<8x8xbf16>, tensor<2x2x8xf32>
  %o:2 = kernel.attention(%q, %k, %k, %b : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<9xf32>) acc f32
    batch [2] queries 8 keys 9 width 4 scale 0.5 causal biased maps [#part, #rows, #rows, #bias] -> [#part, #rows] : tensor<8x8xbf16>, tensor<2x2x8xf32>
  // CHECK: kernel.attention_grad(%{{.*}}, %{{.*}}, %{{.*}}, %[[O]]#0, %[[O]]#1, %{{.*}} : {{.*}}) acc f32 batch [2] queries 8 keys 9 width 4 scale 5.000000e-01 maps {{.*}} : tensor<8x8xf32>, tensor<2x9x4xbf16>, tensor<2x9x4xf32>
  %d:3 = kernel.attention_grad(%q, %k, %k, %o#0, %o#1, %q : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<8x8xbf16>,
      tensor<2x2x8xf32>, tensor<8x8xbf16>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#part, #rows, #rows, #part, #rows, #part] -> [#part, #rows, #rows] : tensor<8x8xf32>, tensor<2x9x4xbf16>, tensor<2x9x4xf32>
  // CHECK: kernel.attention({{.*}} {plan = #kernel.attention_plan<plain, reason = "heads are wide">} : tensor<8x8xbf16>
  %p = kernel.attention(%q, %k, %k : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#part, #rows, #rows] -> [#part] {plan = #kernel.attention_plan<plain, reason = "heads are wide">} : tensor<8x8xbf16>
  // CHECK: kernel.attention_grad({{.*}} {parts = 2 : i64, plan = #kernel.attention_plan<mma, tiles = [<warps = 4, rows = 32, columns = 64, stages = 2>, <warps = 8, rows = 16, columns = 128, stages = 3>]>} : tensor<8x8xf32>
  %e:3 = kernel.attention_grad(%q, %k, %k, %o#0, %o#1, %q : tensor<8x8xbf16>, tensor<2x9x4xbf16>, tensor<2x9x4xbf16>, tensor<8x8xbf16>,
      tensor<2x2x8xf32>, tensor<8x8xbf16>) acc f32 batch [2] queries 8 keys 9 width 4 scale 0.5
    maps [#part, #rows, #rows, #part, #rows, #part] -> [#part, #rows, #rows]
    {parts = 2 : i64, plan = #kernel.attention_plan<mma, tiles = [<columns = 64, stages = 2, warps = 4, rows = 32>, #kernel.score_tile<warps = 8, rows = 16, columns = 128, stages = 3>]>}
    : tensor<8x8xf32>, tensor<2x9x4xbf16>, tensor<2x9x4xf32>
  kernel.return
}

#element = affine_map<(d0) -> (d0)>
// CHECK-LABEL: kernel.program @totals
kernel.program @totals(%x: tensor<7xf16>, %s: tensor<f32>) {
  // CHECK: %{{.*}}:2 = kernel.fused_reduction(%{{.*}}, %{{.*}} : tensor<7xf16>, tensor<f32>) of {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<7xf16>):
  // CHECK: kernel.map(%[[A]] : tensor<7xf16>)
  // CHECK: kernel.yield %{{.*}} : tensor<7xf16>
  // CHECK-NEXT: } sum {
  // CHECK-NEXT: ^bb0(%{{.*}}: f16, %{{.*}}: f32):
  // CHECK: } {test.unit} : tensor<7xf16>, tensor<1xf32>
  %0:2 = kernel.fused_reduction(%x, %s : tensor<7xf16>, tensor<f32>) of {
  ^bb0(%a: tensor<7xf16>):
    %y = kernel.map(%a : tensor<7xf16>) space [7] maps [#element] -> [#element] {
    ^bb0(%e: f16):
      kernel.yield %e : f16
    } : tensor<7xf16>
    kernel.yield %y : tensor<7xf16>
  } sum {
  ^bb0(%e: f16, %f: f32):
    %w = arith.extf %e : f16 to f32
    %p = arith.mulf %w, %f : f32
    kernel.yield %p : f32
  } {test.unit} : tensor<7xf16>, tensor<1xf32>
  kernel.return
}

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: kernel.program @plans
kernel.program @plans(%x: tensor<4x8xbf16>, %y: tensor<8x6xbf16>, %image: tensor<2x6x9x3xbf16>, %filter: tensor<5x3x3x3xbf16>) {
  // CHECK: kernel.gemm {{.*}} attributes {plan = #kernel.plan<wgmma, m = 64, n = 256, stages = 5, cluster = 2x1, schedule = pingpong>}
  %0 = kernel.gemm %x, %y : tensor<4x8xbf16>, tensor<8x6xbf16> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {plan = #kernel.plan<wgmma, cluster = 2x1, n = 256, stages = 5, m = 64, schedule = pingpong, split_k = 1>} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  // CHECK: kernel.gemm {{.*}} attributes {blockings = [#kernel.blocking<plain, rows = 4, columns = 6, lhs = in_place, rhs = packed, depth = 8, keeps_rhs = true, task = 1x1>, #kernel.blocking<"my tier", rows = 2, columns = 16, lhs = packed_sweep, rhs = widened, depth = 16, keeps_rhs = false, task = 2x3>]}
  %2 = kernel.gemm %x, %y : tensor<4x8xbf16>, tensor<8x6xbf16> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {blockings = [#kernel.blocking<plain, columns = 6, rows = 4, keeps_rhs = true, lhs = in_place, rhs = packed, depth = 8, task = 1x1>,
        #kernel.blocking<"my tier", rows = 2, columns = 16, lhs = packed_sweep, rhs = widened, depth = 16, keeps_rhs = false, task = 2x3>]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  // CHECK: kernel.conv {{.*}} attributes {plans = [#kernel.plan<mma, m = 64, n = 64, stages = 3, split_k = 2, reason = "it is \22small\22">, #kernel.plan<plain>]}
  %1 = kernel.conv %image, %filter : tensor<2x6x9x3xbf16>, tensor<5x3x3x3xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1]
      groups 1 space [2, 6, 9, 5] epilogue() maps [] -> [#id4]
      attributes {plans = [#kernel.plan<mma, m = 64, n = 64, stages = 3, split_k = 2, reason = "it is \"small\"">, #kernel.plan<plain>]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x5xf32>
  // CHECK: kernel.conv {{.*}} attributes {blockings = [#kernel.blocking<avx2, rows = 6, columns = 8, lhs = runs, rhs = packed, depth = 9, keeps_rhs = true, task = 4x1, pixels = 3x2>]}
  %3 = kernel.conv %image, %filter : tensor<2x6x9x3xbf16>, tensor<5x3x3x3xbf16> acc f32 strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] input_dilations [1, 1]
      groups 1 space [2, 6, 9, 5] epilogue() maps [] -> [#id4]
      attributes {blockings = [#kernel.blocking<avx2, rows = 6, columns = 8, lhs = runs, pixels = 3x2, rhs = packed, depth = 9, keeps_rhs = true, task = 4x1>]} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<2x6x9x5xf32>
  kernel.return
}
