// Batch analysis: independence of batch rows up to the loss, which combines the rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_BATCHANALYSIS_H
#define AMPC_TRAIN_BATCHANALYSIS_H

#include "mlir-dialects/Train/Program/BatchDimension.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ampc {
/// Dimension with the size `batch` among the formulas of a tensor's sizes; -1 if there is none.
/// Nothing if `batch` is combined with other sizes. Examples: "batch, 3" -> 0, "batch * context" ->
/// nothing.
std::optional<int64_t> dimensionOfBatch(llvm::StringRef formulas);

using BatchPlaces = llvm::function_ref<std::optional<BatchLayout>(mlir::Value)>;
/// Batch position of a result, derived from the operand positions (at least one operand has rows of
/// the batch); nullopt if the op mixes rows.
std::optional<BatchLayout> placeOfResult(mlir::OpResult result, int64_t batch, BatchPlaces placeOf);

/// Values with rows of the batch in one block, mapped to the batch dimension: `f32[batch, 1] -> 0`.
using BatchDimensions = llvm::DenseMap<mlir::Value, int64_t>;
/// Whether an op can exclude invalid rows along the given dimension of its operands.
using CanCombine = llvm::function_ref<bool(ValidRowsOpInterface, int64_t)>;

/// Batch values of `func`, if every op on a batch value (starting at arguments with a batch) keeps
/// rows independent, or combines valid rows only, or sums rows for a gradient. A short batch then
/// gives the same numbers as a model of that batch size. With `end`: the independent values before
/// `end`, whatever follows. `mixing`: the first op that mixes rows, if there is one.
std::optional<BatchDimensions> rowsOfBatch(train::FuncOp func, int64_t batch, CanCombine canCombine,
                                           mlir::Operation *end = nullptr,
                                           mlir::Operation **mixing = nullptr);
} // namespace ampc
#endif
