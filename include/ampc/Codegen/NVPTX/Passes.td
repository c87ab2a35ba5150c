// Emission of code for NVIDIA GPUs: kernel dialect -> NVVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_NVPTX_PASSES
#define AMPC_TARGET_NVPTX_PASSES
include "mlir/Pass/PassBase.td"

def NVPTXExpandMath : Pass<"nvptx-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math by code that needs no library on a GPU";
  let description = [{
    Runs on a module with `kernel.tier`. Functions of f32 become the code of CPU targets, with equal results;
    functions of f64 become polynomials. No approximate instruction is used.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
#endif
