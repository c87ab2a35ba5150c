// Emission of the reference target: kernel dialect -> plain loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_REFERENCE_PASSES
#define AMPC_TARGET_REFERENCE_PASSES
include "mlir/Pass/PassBase.td"

def KernelEmitReference : Pass<"kernel-emit-reference", "::mlir::ModuleOp"> {
  let summary = "Emit a function of plain loops per distinct kernel";
  let description = [{
    Reference for all other targets: every element separately, every sum in term order in the accumulator's type, a
    single task per kernel. The only tier is `reference`; attributes are as in `kernel-emit-cpu`.
  }];
  let options = [Option<"prefix", "prefix", "std::string", "",
                        "start of all symbols (default: the model's name)">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}
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
