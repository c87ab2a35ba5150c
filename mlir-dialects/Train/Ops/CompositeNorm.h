// Composite norms, decomposed by simplify.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_COMPOSITENORM_H
#define MLIR_DIALECTS_TRAIN_OPS_COMPOSITENORM_H

#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/CompositeNormOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerCompositeNormOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
