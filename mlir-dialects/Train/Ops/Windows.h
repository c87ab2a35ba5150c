// Convolutions of one and three dimensions, transposed convolutions, and pools of any number of
// dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_WINDOWS_H
#define MLIR_DIALECTS_TRAIN_OPS_WINDOWS_H

#include "mlir-dialects/Train/Train.h"

#include "mlir-dialects/Train/WindowsEnums.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/WindowsOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerWindowOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
