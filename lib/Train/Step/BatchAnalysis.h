// Whether rows of a batch stay apart until a loss combines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_BATCHANALYSIS_H
#define LIB_TRAIN_STEP_BATCHANALYSIS_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace ampc {
/// The values that hold rows of the batch, if every op of `func` that sees some (first in arguments
/// with a batch) either keeps them apart along the leading dimension, which then has a
/// multiple of `batch` parts, or is one of `combining`, which leave out those that do not count, or
/// adds them up for a gradient with respect to rows.
/// Then a batch with fewer valid rows gives the numbers of a batch of that size.
std::optional<llvm::DenseSet<mlir::Value>>
rowsOfBatch(train::FuncOp func, int64_t batch, llvm::ArrayRef<ValidRowsOpInterface> combining);
} // namespace ampc
#endif
