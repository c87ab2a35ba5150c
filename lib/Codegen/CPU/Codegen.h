// Lowering of the tiers' modules to LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CODEGEN_H
#define LIB_CODEGEN_CPU_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace ampc::cpu {

/// Dialects and interfaces that the pipeline and the translation need.
void registerCodegenDialects(mlir::DialectRegistry &registry);
/// Lowers every nested module (a tier made by kernel-emit) to the LLVM dialect, tiers in
/// parallel.
void buildCodegenPipeline(mlir::OpPassManager &pm);

/// Translates a lowered tier to an LLVM module. Thread-safe if every thread has its own LLVM
/// context.
std::unique_ptr<llvm::Module> translateTier(mlir::ModuleOp tierModule, llvm::LLVMContext &context);

} // namespace ampc::cpu
#endif
