// Numbers of a whole batch inside the function of one part, and the ops that sums over parts go
// through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PARTS_H
#define MLIR_DIALECTS_TRAIN_PARTS_H

#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/PartsOps.h.inc"
#include "mlir-dialects/Train/Summands.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerPartOps(mlir::DialectRegistry &registry);
/// A bit per dimension along which elements of a result differ, given those of the operands. Random
/// numbers count as equal: every row has its own in any batch.
uint64_t variesAlong(mlir::OpResult result, llvm::function_ref<uint64_t(mlir::Value)> variesOf);
uint64_t allDimensions(mlir::Value value);
/// Gives the linear ops of this dialect SummandsOpInterface.
void attachSummands(mlir::MLIRContext *context);
} // namespace ampc
#endif
