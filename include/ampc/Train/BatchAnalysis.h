// Whether rows of a batch stay apart until a loss combines them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_BATCHANALYSIS_H
#define AMPC_TRAIN_BATCHANALYSIS_H

#include "mlir-dialects/Train/BatchDimension.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ampc {
using BatchPlaces = llvm::function_ref<std::optional<BatchPlace>(mlir::Value)>;
/// Where a result holds them, by where the operands of its op do, of which some does; nothing if
/// the op mixes them.
std::optional<BatchPlace> placeOfResult(mlir::OpResult result, int64_t batch, BatchPlaces placeOf);

/// The values that hold rows of the batch in one block, and the dimension.
using BatchDimensions = llvm::DenseMap<mlir::Value, int64_t>;
/// Whether an op can leave out the rows that do not count, along that dimension of its operands.
using CanCombine = llvm::function_ref<bool(ValidRowsOpInterface, int64_t)>;

/// Those of `func`, if every op that sees some (first in arguments with a batch) either keeps them
/// apart, or combines them, or adds them up for a gradient with respect to rows. Then a batch with
/// fewer valid rows gives the numbers of a batch of that size. With an `end`, those before it that
/// are kept apart, whatever else there is.
std::optional<BatchDimensions> rowsOfBatch(train::FuncOp func, int64_t batch, CanCombine canCombine,
                                           mlir::Operation *end = nullptr);
/// Whether scalar code looks along the last dimension of its space.
bool looksAlongRow(ScalarOpInterface op);
} // namespace ampc
#endif
