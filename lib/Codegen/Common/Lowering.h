// Lowers modules of kernels to LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_LOWERING_H
#define LIB_CODEGEN_COMMON_LOWERING_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ampc::target {

/// Registers dialects and interfaces of `addLowering` and of the translation to LLVM IR.
void registerLoweringDialects(mlir::DialectRegistry &registry);
/// Passes from scf, arith, vector and math (without functions) to the LLVM dialect.
void addLowering(mlir::OpPassManager &pm);
/// Functions that generated code may call besides memcpy, memset and memmove, all `double ->
/// double`.
llvm::ArrayRef<llvm::StringRef> libmFunctions();

} // namespace ampc::target
#endif
