// Gradients inside functions, until train-expand-gradients replaces the ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_GRADIENTS_H
#define MLIR_DIALECTS_TRAIN_OPS_GRADIENTS_H

#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/GradientsOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerGradientOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
