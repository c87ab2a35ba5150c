// How files and callers see tensors of state: the attribute `train.outside`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_LOGICALLAYOUT_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_LOGICALLAYOUT_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Logical layout of a state tensor: dimension i is parts[order[i]]; parts are the tensor's
/// dimensions by default. In `shape`, neighbours are merged: {order = [0, 3, 1, 2], of = [10, 5, 5,
/// 16], as = [10, 400]}.
struct LogicalOrder {
  llvm::SmallVector<int64_t> order, parts, shape;

  static constexpr llvm::StringLiteral key = "train.outside";
  /// Logical layout of a state; nullopt if the memory layout is also the logical layout.
  static std::optional<LogicalOrder> of(mlir::Operation *state);
  void attachTo(mlir::Operation *state) const;
};
/// Expected content of the attribute; nullopt if the attribute is valid.
std::optional<std::string> misfitOfOutside(mlir::Operation *op, mlir::Attribute value);

/// Logical view of a state: in logical order the elements have `dims` with memory `strides`, whose
/// neighbours may be merged in `shape`. Both are empty for equal orders.
struct LogicalLayout {
  llvm::SmallVector<int64_t> shape, dims, strides;
};
/// Logical view of a state; moments, gradients and averages follow their parameter, which `symbols`
/// finds.
LogicalLayout logicalLayoutOf(StateOpInterface state, mlir::SymbolTableCollection &symbols);

/// Permutation of `from`: result[i] = from[order[i]].
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> order);
} // namespace ampc
#endif
