// Recurrent layers and cells. train-unroll-scans decomposes layers, which are made of loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_RECURRENT_H
#define MLIR_DIALECTS_TRAIN_OPS_RECURRENT_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Trait of composites whose decomposition has a train.scan.
template <typename Op> class MadeOfLoops : public mlir::OpTrait::TraitBase<Op, MadeOfLoops> {};

/// For the registry of a program that reads models.
void registerRecurrentOps(mlir::DialectRegistry &registry);
} // namespace ampc

#include "mlir-dialects/Train/RecurrentEnums.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/RecurrentOps.h.inc"
#endif
