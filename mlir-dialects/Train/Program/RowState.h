// Buffers per row of the batch: the states of a recurrence between batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_ROWSTATE_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_ROWSTATE_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/DenseMap.h"

namespace ampc {
/// Marks of a buffer whose leading dimension is the batch, e.g. `@h : f32[batch, width]`.
struct RowState {
  /// The buffer has a row per row of the batch.
  static constexpr llvm::StringLiteral key = "train.per_row";
  /// Evaluations and exports take the rows as an input and return the new rows as a result.
  static constexpr llvm::StringLiteral passed = "train.passed";
  /// Names of such inputs and results begin with it, e.g. `state:h`.
  static constexpr llvm::StringLiteral prefix = "state:";
};

/// Whether the buffer has a row per row of the batch, by its mark or by the formula of its type.
bool isRowState(StateOpInterface state);
/// Whether evaluations and exports take and return the rows of the buffer.
bool isPassedRowState(StateOpInterface state);
/// Buffers of the function's model that have a row per row of the batch, by name.
llvm::DenseMap<mlir::StringAttr, StateOpInterface> rowStatesOf(train::FuncOp func);
/// Values in the function of buffers with `batch` rows: arguments, or reads before
/// `train-instantiate`.
llvm::SmallVector<mlir::Value> readRowStates(train::FuncOp func, int64_t batch);
/// Whether the buffer has a row per row of the batch, and `type` is its type for another batch.
bool isOfAnotherBatch(StateOpInterface state, mlir::Type type);
/// Replaces the formula of a buffer's type by the mark.
void markRowState(StateOpInterface state);
/// Expected content of an attribute that marks a buffer; nullopt if the attribute is valid.
std::optional<llvm::StringRef> misfitOfRowState(mlir::Operation *op, mlir::Attribute value);
} // namespace ampc
#endif
