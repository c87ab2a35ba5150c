// Elements along a dimension by number and in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_INDEXING_H
#define MLIR_DIALECTS_TRAIN_OPS_INDEXING_H

#include "mlir-dialects/Train/Train.h"

#include "mlir-dialects/Train/IndexingEnums.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/IndexingOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerIndexingOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
