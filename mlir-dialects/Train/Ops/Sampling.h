// Tensors at other places: padded by their own elements, cut backwards, resized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_SAMPLING_H
#define MLIR_DIALECTS_TRAIN_OPS_SAMPLING_H

#include "mlir-dialects/Train/Train.h"

#include "mlir-dialects/Train/SamplingEnums.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/SamplingOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerSamplingOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
