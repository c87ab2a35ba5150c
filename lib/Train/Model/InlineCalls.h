// Inlining of function calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_INLINECALLS_H
#define LIB_TRAIN_MODEL_INLINECALLS_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/SymbolTable.h"

namespace ampc {
/// Inlines every call in `func`, loops included, which need not be in the model; an error for
/// recursion, and for too many ops.
llvm::LogicalResult inlineCalls(train::FuncOp func, mlir::SymbolTable &symbols);
} // namespace ampc
#endif
