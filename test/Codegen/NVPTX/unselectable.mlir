// An op without LLVM instructions is an error at the kernel, not a crash of the compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: not ampc-kernel-run --target=sm_75 --emit=ptx %t/fatal.mlir 2>&1 | FileCheck %s --check-prefix=FATAL --implicit-check-not=LLVM{{.}}ERROR --implicit-check-not=Stack
// RUN: not ampc-kernel-run --target=sm_75 --emit=ptx %t/unsupported.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC

// A fence of warpgroups, which sm_75 lacks: instruction selection fails for good.
//--- fatal.mlir
// FATAL: fatal.mlir{{.*}}:9:5): error: expected code that LLVM writes as PTX of sm_75, but in kernel 'fenced' it says: Cannot select: intrinsic %llvm.nvvm.wgmma.fence.sync.aligned
// FATAL-NOT: .entry
module attributes {kernel.functions = [], kernel.target = "sm_75"} {
  module @tier_sm_75 {
    llvm.func @whole(%x: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
      llvm.store %x, %to : f32, !llvm.ptr<1>
      llvm.return
    }
    llvm.func @fenced() attributes {nvvm.kernel} {
      nvvm.wgmma.fence.aligned
      llvm.return
    }
  }
}

//--- unsupported.mlir
// DYNAMIC: unsupported.mlir{{.*}}:5:5): error: expected code that LLVM writes as PTX of sm_75, but in kernel 'stacked' it says: {{.*}}dynamic alloca
// DYNAMIC-NOT: .entry
module attributes {kernel.functions = [], kernel.target = "sm_75"} {
  module @tier_sm_75 {
    llvm.func @stacked(%to: !llvm.ptr<1>, %n: i64) attributes {nvvm.kernel} {
      %0 = llvm.alloca %n x i32 : (i64) -> !llvm.ptr
      %1 = llvm.ptrtoint %0 : !llvm.ptr to i64
      llvm.store %1, %to : i64, !llvm.ptr<1>
      llvm.return
    }
  }
}
