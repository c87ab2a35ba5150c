// Rows of the batch along another dimension than the first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BATCHDIMENSION_H
#define MLIR_DIALECTS_TRAIN_BATCHDIMENSION_H

#include "mlir-dialects/Train/Train.h"

#include <optional>

namespace ampc {
/// Where a value holds rows of the batch: dimension `dim` has `outer` equal blocks, each with equal
/// parts, one per row in their order. More than one block is what a reshape of [time, batch, size]
/// to [time * batch, size] leaves.
struct BatchPlace {
  int64_t dim = 0;
  int64_t outer = 1;
};
} // namespace ampc

#include "mlir-dialects/Train/BatchDimension.h.inc"

namespace ampc {
/// The dimension of a value's parts, one per row of the batch, or -1.
using BatchDimension = llvm::function_ref<int64_t(mlir::Value)>;
/// That of all operands that have one; -1 if they differ.
int64_t commonDimension(mlir::ValueRange operands, BatchDimension dimensionOf);
/// Gives the ops of this dialect the interface.
void attachBatchDimensions(mlir::MLIRContext *context);
} // namespace ampc
#endif
