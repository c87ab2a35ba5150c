// Transpositions that are not needed if state lies in another order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRANSPOSECLAIMS_H
#define MLIR_DIALECTS_TRAIN_TRANSPOSECLAIMS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// What becomes of a state: its dimensions in these parts, in another order.
struct Reordering {
  llvm::SmallVector<int64_t> parts, order;
  bool operator==(const Reordering &other) const {
    return parts == other.parts && order == other.order;
  }
};

/// A transposition that goes if every operand it needs takes another order.
struct TransposeClaim {
  mlir::Operation *transpose;
  mlir::OpOperand *flat; ///< of a product, which gets the transposed tensor as it was; or null
  llvm::SmallVector<std::pair<mlir::OpOperand *, Reordering>> needs;
  bool holds = true;

  /// When all have it.
  void apply();
};

/// Those of a function's transpositions that are of a value of `isState`, or stand before or behind
/// an image made flat, whose elements products and ops of `isPointwise` read or write.
llvm::SmallVector<TransposeClaim>
findTransposeClaims(mlir::Block &body, llvm::function_ref<bool(mlir::Value)> isState,
                    llvm::function_ref<bool(mlir::Operation *)> isPointwise);
} // namespace ampc
#endif
