// Code for a device that calls a function is refused at the call: there is no library to link with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: not ampc-kernel-run --target=sm_80 --emit=ptx %t/math.mlir 2>&1 | FileCheck %s --check-prefix=MATH
// RUN: not ampc-kernel-run --target=sm_80 --emit=ptx %t/malloc.mlir 2>&1 | FileCheck %s --check-prefix=MALLOC
// RUN: ampc-kernel-run --target=sm_80 --emit=ptx %t/alone.mlir | FileCheck %s --check-prefix=ALONE

//--- math.mlir
// MATH: math.mlir{{.*}}:7:12): error: expected code that calls no function on a device, but got a call of '__nv_expf'
// MATH-NOT: .entry
module attributes {kernel.functions = [], kernel.target = "sm_80"} {
  module @tier_sm_80 {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @exp(%x: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %0 = llvm.call @__nv_expf(%x) : (f32) -> f32
      llvm.store %0, %to : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}

//--- malloc.mlir
// MALLOC: malloc.mlir{{.*}}:7:12): error: expected code that calls no function on a device, but got a call of 'malloc'
module attributes {kernel.functions = [], kernel.target = "sm_80"} {
  module @tier_sm_80 {
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @allocate(%to: !llvm.ptr<1>) attributes {nvvm.kernel} {
      %bytes = llvm.mlir.constant(64 : i64) : i64
      %0 = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
      llvm.store %0, %to : !llvm.ptr, !llvm.ptr<1>
      llvm.return
    }
  }
}

//--- alone.mlir
// ALONE: .visible .entry alone(
module attributes {kernel.functions = [], kernel.target = "sm_80"} {
  module @tier_sm_80 {
    llvm.func @alone(%x: f32, %to: !llvm.ptr<1>) attributes {nvvm.kernel} {
      llvm.store %x, %to : f32, !llvm.ptr<1>
      llvm.return
    }
  }
}
