// Buffers per row of the batch in functions that are called, not trained.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_ROWSTATE_H
#define AMPC_TRAIN_ROWSTATE_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Inlines the calls of a function with buffers per row. Buffers with `train.passed` become inputs
/// and results, and the function reads the first values of other buffers.
llvm::LogicalResult callRowState(train::FuncOp func);
} // namespace ampc
#endif
