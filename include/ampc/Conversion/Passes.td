// Conversion passes between dialects, such as train -> kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CONVERSION_PASSES
#define AMPC_CONVERSION_PASSES
include "mlir/Pass/PassBase.td"

def ConvertTrainToKernel : Pass<"convert-train-to-kernel", "::mlir::ModuleOp"> {
  let summary = "Convert every tensor op to a kernel";
  let description = [{
    Every function with a role becomes a `kernel.program` behind the model; other functions are erased, and
    declarations stay in the model. Transposes, broadcasts and reshapes that add or drop dimensions of size 1
    become part of the indexing maps of their consumers, splat constants become literals of bodies, and other
    reshapes become views. A kernel that computes a gradient carries `kernel.barrier`: consumers neither recompute
    the kernel's results nor fuse with the kernel. All ops without a kernel are reported.
  }];
  let dependentDialects = ["::ampc::kernel::KernelDialect"];
}
#endif
