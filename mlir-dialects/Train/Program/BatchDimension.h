// Rows of the batch along another dimension than the first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_BATCHDIMENSION_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_BATCHDIMENSION_H

#include "mlir-dialects/Train/Train.h"

#include <optional>

namespace ampc {
/// Position of the batch rows in a value: dimension `dim` has `outer` equal blocks, each with one
/// equal part per row, in order. A reshape of [time, batch, size] to [time * batch, size] leaves
/// `outer` = time.
struct BatchLayout {
  int64_t dim = 0;
  int64_t outer = 1;
};
} // namespace ampc

#include "mlir-dialects/Train/BatchDimension.h.inc"

namespace ampc {
/// Batch dimension of a value, one part per row, or -1.
using BatchDimension = llvm::function_ref<int64_t(mlir::Value)>;
/// Common batch dimension of all operands with a batch dimension; -1 if the dimensions differ.
int64_t commonDimension(mlir::ValueRange operands, BatchDimension dimensionOf);
/// Attaches the interface to the ops of this dialect.
void attachBatchDimensions(mlir::MLIRContext *context);
} // namespace ampc
#endif
