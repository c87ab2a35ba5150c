// Calls of functions, replaced by the callee's ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_INLINECALLS_H
#define LIB_TRAIN_MODEL_INLINECALLS_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/SymbolTable.h"

namespace ampc {
/// Replaces every call in `func`, which need not be in the model, by the callee's ops; an error
/// where a function calls itself, or where the ops would be too many.
llvm::LogicalResult inlineCalls(train::FuncOp func, mlir::SymbolTable &symbols);
} // namespace ampc
#endif
