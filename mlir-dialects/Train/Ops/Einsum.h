// Sums of products of tensors by the letters of their dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_EINSUM_H
#define MLIR_DIALECTS_TRAIN_OPS_EINSUM_H

#include "mlir-dialects/Train/Program/BatchDimension.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/EinsumOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerEinsumOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
