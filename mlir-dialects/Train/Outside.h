// How files and callers see tensors of state: the attribute `train.outside`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OUTSIDE_H
#define MLIR_DIALECTS_TRAIN_OUTSIDE_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Dimension i is part order[i] of the tensor's dimensions, which are its parts unless there are
/// others; in `shape`, neighbours are one again: {order = [0, 3, 1, 2], of = [10, 5, 5, 16],
/// as = [10, 400]}.
struct OutsideOrder {
  llvm::SmallVector<int64_t> order, parts, shape;

  static constexpr llvm::StringLiteral key = "train.outside";
  /// Nothing where memory is seen as it is.
  static std::optional<OutsideOrder> of(mlir::Operation *state);
  void attachTo(mlir::Operation *state) const;
};
/// What the attribute has to be; nothing if it is that.
std::optional<std::string> misfitOfOutside(mlir::Operation *op, mlir::Attribute value);

/// Its elements in their order are `dims` with `strides` in memory, neighbours of which `shape` may
/// have as one. Both are empty if memory has the same order.
struct Outside {
  llvm::SmallVector<int64_t> shape, dims, strides;
};
/// Moments, gradients and averages are seen as their parameter is, which `symbols` finds.
Outside outsideOf(StateOpInterface state, mlir::SymbolTableCollection &symbols);

/// The sizes that `from` has in another order.
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> order);
} // namespace ampc
#endif
