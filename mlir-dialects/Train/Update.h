// The update of one parameter, until kernels are made or train-expand-updates has replaced it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_UPDATE_H
#define MLIR_DIALECTS_TRAIN_UPDATE_H

#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/UpdateOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerUpdateOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
