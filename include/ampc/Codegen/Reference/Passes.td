// Emission of the reference target: kernel dialect -> plain loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_REFERENCE_PASSES
#define AMPC_TARGET_REFERENCE_PASSES
include "mlir/Pass/PassBase.td"

def ReferenceExpandMath : Pass<"reference-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math by calls to libm";
  let description = [{
    Functions of f32 become functions of f64, rounded once: an error of half a unit in the last place. Conversions
    of 16-bit floats become integer code.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}
#endif
