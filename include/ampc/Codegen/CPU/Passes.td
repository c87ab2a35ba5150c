// Emission of CPU code: kernel dialect -> LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_CPU_PASSES
#define AMPC_TARGET_CPU_PASSES
include "mlir/Pass/PassBase.td"

def CPUExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math by code that needs no library in a tier";
  let description = [{
    Runs on a module with `kernel.tier`. Transcendental functions of f32 become polynomials. Conversions of 16-bit
    types, rounding and fused multiply-add become integer or plain code on tiers without the instruction. Functions
    of f64 become calls of libm, restricted to the functions in `libmFunctions()`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
#endif
