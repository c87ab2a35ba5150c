// Whole-batch numbers in the function of one micro-batch, and linear ops through which partial sums
// pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_PARTS_H
#define MLIR_DIALECTS_TRAIN_OPS_PARTS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Trait of exchanges between ranks: the results are equal on all ranks, whatever the operands.
template <typename Op> class EqualOnRanks : public mlir::OpTrait::TraitBase<Op, EqualOnRanks> {};
} // namespace ampc

#define GET_OP_CLASSES
#include "mlir-dialects/Train/PartsOps.h.inc"
#include "mlir-dialects/Train/Summands.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerPartOps(mlir::DialectRegistry &registry);
/// Dimensions along which elements of a result differ, bit d for dimension d, from the bits of the
/// operands. Random numbers count as equal: every row has its own draw in any batch.
uint64_t variesAlong(mlir::OpResult result, llvm::function_ref<uint64_t(mlir::Value)> variesOf);
uint64_t allDimensions(mlir::Value value);
/// Attaches SummandsOpInterface to the linear ops of this dialect.
void attachSummands(mlir::MLIRContext *context);
} // namespace ampc
#endif
