// Transpositions that are not needed if state lies in another order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_TRANSPOSECLAIMS_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_TRANSPOSECLAIMS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// New layout of a state: dimensions split into parts, and permuted. Example: [10, 400] as parts
/// [10, 5, 5, 16], order [0, 3, 1, 2].
struct Reordering {
  llvm::SmallVector<int64_t> parts, order;
  bool operator==(const Reordering &other) const {
    return parts == other.parts && order == other.order;
  }
};

/// Transpose that can be removed if every operand in `needs` takes another layout.
struct TransposeClaim {
  mlir::Operation *transpose;
  mlir::OpOperand *flat; ///< operand of a product that takes the untransposed tensor; or null
  llvm::SmallVector<std::pair<mlir::OpOperand *, Reordering>> needs;
  bool holds = true;

  /// Removes the transpose, after all operands have the new layout.
  void apply();
};

/// Claims of a function's transposes of a value of `isState`, or before or behind a flattened
/// image, whose elements products and ops of `isPointwise` read or write.
llvm::SmallVector<TransposeClaim>
findTransposeClaims(mlir::Block &body, llvm::function_ref<bool(mlir::Value)> isState,
                    llvm::function_ref<bool(mlir::Operation *)> isPointwise);
} // namespace ampc
#endif
