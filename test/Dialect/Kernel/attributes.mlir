// Attributes that phases attach to ops of any kind are verified by the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

#id = affine_map<(d0) -> (d0)>
kernel.program @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected an attribute that the dialect kernel has, but got kernel.place}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] attributes {kernel.place = 1 : i64} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @places(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected kernel.places to be one place per result, but got []}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] attributes {kernel.places = []} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @workspace(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected kernel.workspace on a kernel with a workspace only}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] attributes {kernel.workspace = 0 : i64} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return %y : tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.program @barrier(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected kernel.barrier to be a unit, but got true}}
  %y = kernel.map(%x : tensor<8xf32>) space [8] maps [#id] -> [#id] attributes {kernel.barrier = true} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return %y : tensor<8xf32>
}

// -----

kernel.program @view(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{expected kernel.function on a kernel only}}
  %y = kernel.view %x {kernel.function = 0 : i64} : tensor<8xf32> to tensor<2x4xf32>
  kernel.return %y : tensor<2x4xf32>
}

// -----

train.model @m {
  // expected-error @below {{expected kernel.offset to be an i64 that is not negative, but got -64 : i64}}
  train.param @w : tensor<8xf32> = #train.zeros {kernel.offset = -64 : i64}
}

// -----

// expected-error @below {{expected kernel.target to be one of cpu, reference, sm_75, sm_80, sm_86, sm_89, sm_90a, sm_100, sm_120, but got 'gpu'}}
module attributes {kernel.target = "gpu"} {
}

// -----

// expected-error @below {{expected kernel.functions to be an array of dictionaries, but got "none"}}
module attributes {kernel.functions = "none"} {
}

// -----

// expected-error @below {{expected no attribute of the dialect kernel on argument 0, but got kernel.barrier}}
kernel.program @argument(%x: tensor<8xf32> {kernel.barrier}) {
  kernel.return
}

// -----

// expected-error @below {{attribute 'arena_bytes' failed to satisfy constraint}}
kernel.program @arena(%x: tensor<8xf32>) attributes {arena_bytes = -1 : i64} {
  kernel.return
}

// -----

#in = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d2)>
kernel.program @parts(%x: tensor<16x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{attribute 'parts' failed to satisfy constraint}}
  %y = kernel.reduce sum(%x : tensor<16x8xf32>) space [1, 16, 8] maps [#in] -> [#out] attributes {parts = 0 : i64} {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  } : tensor<8xf32>
  kernel.return %y : tensor<8xf32>
}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @mode(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+2 {{attribute 'compute' failed to satisfy constraint}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {compute = "tf32"} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return %0 : tensor<4x6xf32>
}

// -----

// expected-error @below {{expected at least the 512 bytes of the matrix's elements, but got 511}}
kernel.program @packed(%b: tensor<8x16xf32, #kernel.packed<rhs, depth = 0, bytes = 511>>) {
  kernel.return
}

// -----

// expected-error @below {{expected 2 to 5 sizes, as many sizes of the box, and a stride less}}
module attributes {test.map = #kernel.tensor_map<operand = 0, element = bf16, offset = 0, sizes = [8, 8], strides = [16, 128], box = [8, 8], swizzle = 0>} {}

// -----

// expected-error @below {{expected positive sizes and strides}}
module attributes {test.map = #kernel.tensor_map<operand = 0, element = bf16, offset = 0, sizes = [8, 8], strides = [0], box = [8, 8], swizzle = 0>} {}

// -----

// expected-error @below {{expected an offset, strides and rows of the box of whole 16 bytes}}
module attributes {test.map = #kernel.tensor_map<operand = 0, element = f16, offset = 0, sizes = [9, 8], strides = [18], box = [8, 8], swizzle = 0>} {}

// -----

// expected-error @below {{expected a swizzle of 0, 32, 64 or 128 bytes, but got 16}}
module attributes {test.map = #kernel.tensor_map<operand = 0, element = f16, offset = 0, sizes = [8, 8], strides = [16], box = [8, 8], swizzle = 16>} {}

// -----

// expected-error @below {{expected three positive sizes of grid, block and cluster}}
module attributes {test.launch = #kernel.launch<"f", grid = [1, 1], block = [1, 1, 1], cluster = [1, 1, 1], shared = 0>} {}

// -----

// constraint PlanAttr 1
// expected-error @below {{expected a plan wgmma of a tile of at least one row and column, but got m = 128, n = 0, stages = 4 and split_k = 1}}
module attributes {test.plan = #kernel.plan<wgmma, m = 128, stages = 4>} {}

// -----

// constraint PlanAttr 1
// expected-error @below {{expected a plan plain without tiles and slices, but got m = 0, n = 0, stages = 0 and split_k = 2}}
module attributes {test.plan = #kernel.plan<plain, split_k = 2>} {}

// -----

// constraint PlanAttr 2
// expected-error @below {{expected stages of at least 0, split_k of at least 1 and a cluster of two positive sizes, but got 4, 0 and []}}
module attributes {test.plan = #kernel.plan<mma, m = 64, n = 128, stages = 4, split_k = 0>} {}

// -----

// constraint PlanAttr 2
// expected-error @below {{expected stages of at least 0, split_k of at least 1 and a cluster of two positive sizes, but got 0, 1 and [2]}}
module attributes {test.plan = #kernel.plan<wgmma, m = 64, n = 128, cluster = 2>} {}

// -----

// constraint PlanAttr 3
// expected-error @below {{expected a cluster and the schedule pingpong of plans wgmma only, but got mma}}
module attributes {test.plan = #kernel.plan<mma, m = 64, n = 128, schedule = pingpong>} {}

// -----

// constraint PlanAttr 4
// expected-error @below {{expected split_k, slices of k in the cluster or the schedule pingpong, but got several of the three}}
module attributes {test.plan = #kernel.plan<wgmma, m = 64, n = 128, split_k = 2, cluster = 1x2>} {}

// -----

// constraint ScoreTileAttr 1
// expected-error @below {{expected warps, a power of 2, of 2 to 32, but got 6}}
module attributes {test.tile = #kernel.score_tile<warps = 6, rows = 16, columns = 64, stages = 2>} {}

// -----

// constraint ScoreTileAttr 2
// expected-error @below {{expected powers of 2, rows of 16 to 64 and columns of 16 to 256, but got 16 and 96}}
module attributes {test.tile = #kernel.score_tile<warps = 8, rows = 16, columns = 96, stages = 2>} {}

// -----

// constraint ScoreTileAttr 2
// expected-error @below {{expected powers of 2, rows of 16 to 64 and columns of 16 to 256, but got 8 and 64}}
module attributes {test.tile = #kernel.score_tile<warps = 8, rows = 8, columns = 64, stages = 2>} {}

// -----

// constraint ScoreTileAttr 3
// expected-error @below {{expected stages of 2 to 8, but got 1}}
module attributes {test.tile = #kernel.score_tile<warps = 8, rows = 16, columns = 64, stages = 1>} {}

// -----

// constraint AttentionPlanAttr 1
// expected-error @below {{expected a plan wgmma, mma or plain of an attention, but got simt}}
module attributes {test.plan = #kernel.attention_plan<simt>} {}

// -----

// constraint AttentionPlanAttr 2
// expected-error @below {{expected tiles and no reason of plans wgmma and mma, and no tiles of plans plain, but got 0 tiles of a plan mma}}
module attributes {test.plan = #kernel.attention_plan<mma>} {}

// -----

// constraint AttentionPlanAttr 2
// expected-error @below {{but got 1 tiles of a plan plain}}
module attributes {test.plan = #kernel.attention_plan<plain, tiles = [<warps = 8, rows = 16, columns = 64, stages = 2>]>} {}

// -----

// constraint AttentionPlanAttr 3
// expected-error @below {{expected 16 rows per warp and multiples of 4 warps of a plan wgmma}}
module attributes {test.plan = #kernel.attention_plan<wgmma, tiles = [<warps = 2, rows = 16, columns = 64, stages = 2>]>} {}

// -----

// constraint AttentionPlanAttr 3
// expected-error @below {{expected 16 rows per warp and multiples of 4 warps of a plan wgmma}}
module attributes {test.plan = #kernel.attention_plan<wgmma, tiles = [<warps = 4, rows = 32, columns = 64, stages = 2>]>} {}

// -----

// constraint BlockingAttr 1
// expected-error @below {{expected rows, columns, a depth and a task of two sizes of at least 1, but got 12, 32, 0 and [8, 4]}}
module attributes {test.blocking = #kernel.blocking<avx512, rows = 12, columns = 32, lhs = in_place, rhs = packed, depth = 0, keeps_rhs = true, task = 8x4>} {}

// -----

// constraint BlockingAttr 1
// expected-error @below {{expected rows, columns, a depth and a task of two sizes of at least 1, but got 12, 32, 64 and [8]}}
module attributes {test.blocking = #kernel.blocking<avx512, rows = 12, columns = 32, lhs = in_place, rhs = packed, depth = 64, keeps_rhs = false, task = 8>} {}

// -----

// constraint BlockingAttr 2
// expected-error @below {{expected pixels of two sizes, 12 together, of runs only, but got [4, 2]}}
module attributes {test.blocking = #kernel.blocking<avx512, rows = 12, columns = 32, lhs = runs, rhs = packed, depth = 24, keeps_rhs = true, task = 8x4, pixels = 4x2>} {}

// -----

// constraint BlockingAttr 2
// expected-error @below {{expected pixels of two sizes, 12 together, of runs only, but got [4, 3]}}
module attributes {test.blocking = #kernel.blocking<avx512, rows = 12, columns = 32, lhs = in_place, rhs = packed, depth = 24, keeps_rhs = true, task = 8x4, pixels = 4x3>} {}

// -----

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#y = affine_map<(d0, d1, d2) -> (d2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.program @plan(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+2 {{attribute 'plan' failed to satisfy constraint}}
  %0 = kernel.gemm %x, %y : tensor<4x8xf32>, tensor<8x6xf32> acc f32 maps [#x, #y] space [4, 6] depth 8 epilogue () maps [] -> [#id]
      attributes {plan = "64x128"} {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : tensor<4x6xf32>
  kernel.return %0 : tensor<4x6xf32>
}

// -----

// constraint FilterBlockingAttr 1
// expected-error @below {{expected a block and a task of two sizes of at least 1, but got [9, 0] and [4, 1]}}
module attributes {test.blocking = #kernel.filter_blocking<avx2, planes, block = 9x0, task = 4x1>} {}

// -----

// constraint FilterBlockingAttr 1
// expected-error @below {{expected a block and a task of two sizes of at least 1, but got [9, 3] and [4]}}
module attributes {test.blocking = #kernel.filter_blocking<avx2, planes, block = 9x3, task = 4>} {}

// -----

// constraint FilterBlockingAttr 2
// expected-error @below {{expected a tile of two sizes of at least 1 of pixels and windows only, but got [4, 16]}}
module attributes {test.blocking = #kernel.filter_blocking<avx2, planes, tile = 4x16, block = 9x1, task = 4x1>} {}

// -----

// constraint FilterBlockingAttr 2
// expected-error @below {{expected a tile of two sizes of at least 1 of pixels and windows only, but got []}}
module attributes {test.blocking = #kernel.filter_blocking<avx2, pixels, block = 9x3, task = 4x1>} {}

// -----

// constraint AttentionBlockingAttr 1
// expected-error @below {{expected a tile of at least one query and key, but got 64 and 0}}
module attributes {test.blocking = #kernel.attention_blocking<queries = 64, keys = 0>} {}
