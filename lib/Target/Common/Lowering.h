// From modules of kernels to LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_LOWERING_H
#define LIB_TARGET_COMMON_LOWERING_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ampc::target {

/// Dialects and interfaces that the passes of `addLowering` and the translation to LLVM IR need.
void registerLoweringDialects(mlir::DialectRegistry &registry);
/// From scf, arith, vector and math without functions to the LLVM dialect.
void addLowering(mlir::OpPassManager &pm);
/// What generated code may call besides memcpy, memset and memmove; all of them take and return
/// double.
llvm::ArrayRef<llvm::StringRef> libmFunctions();

} // namespace ampc::target
#endif
