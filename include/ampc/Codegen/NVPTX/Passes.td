// Emission of code for NVIDIA GPUs: kernel dialect -> NVVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_NVPTX_PASSES
#define AMPC_TARGET_NVPTX_PASSES
include "mlir/Pass/PassBase.td"

def KernelEmitNVPTX : Pass<"kernel-emit-nvptx", "::mlir::ModuleOp"> {
  let summary = "Write the functions of every distinct kernel for a chip";
  let description = [{
    Kernels with equal text (types, maps, attributes, body) share their functions, which go into a nested module
    `@tier_CHIP` with the attribute `kernel.tier`. The functions have the attribute `nvvm.kernel`, are named
    `PREFIX_kI_CHIP`, `PREFIX_kI_CHIP_1`, ..., and take a pointer to global memory per operand, then per result,
    then the workspace if the kernel has one. Sizes are constants. Kernel ops get `kernel.function = I`; the module
    gets `kernel.functions`, one dictionary per I: `name`; `form`, the chosen emitter and the reason; `launches`,
    in execution order; `tiers`; `starts`, as in `kernel-emit-cpu`.
  }];
  let options = [Option<"prefix", "prefix", "std::string", "",
                        "start of all symbols (default: the model's name)">,
                 Option<"chip", "chip", "std::string", [{"sm_80"}],
                        "as targets are called: sm_80, ...">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
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
