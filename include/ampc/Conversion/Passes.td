// Conversion passes between dialects, such as train -> kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CONVERSION_PASSES
#define AMPC_CONVERSION_PASSES
include "mlir/Pass/PassBase.td"

def ConvertTrainToKernel : Pass<"convert-train-to-kernel", "::mlir::ModuleOp"> {
  let summary = "One kernel per tensor op";
  let description = [{
    Every function with a role becomes a `kernel.program` behind its model; the other functions are
    erased, and the model keeps its declarations. Transposes, broadcasts and reshapes that add or drop dimensions of
    size 1 become part of the maps of their readers, splat constants become literals of bodies, other reshapes become
    views. A kernel that computes a gradient carries `kernel.barrier`: its results are not computed again in readers,
    and no reader joins it. Ops without a kernel are reported, all of them.
  }];
  let dependentDialects = ["::ampc::kernel::KernelDialect"];
}
#endif
