// What families say of types and sizes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TENSORS_H
#define MLIR_DIALECTS_TRAIN_TENSORS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// What BatchedOpInterface asks: whether a value has a part per row of the batch.
using IsBatched = llvm::function_ref<bool(mlir::Value)>;

/// Null for any other type.
inline mlir::RankedTensorType tensorOf(mlir::Type type) {
  return mlir::dyn_cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType tensorOf(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType());
}

/// Sums and counts of 16-bit values are formed in f32.
mlir::Type accumulatorOf(mlir::Type element);

/// Sizes of user models may be any number; nothing answers for a sum that 64 bits do not hold.
std::optional<int64_t> sumOf(llvm::ArrayRef<int64_t> values);
std::optional<int64_t> productOf(int64_t a, int64_t b);
/// Whether there are `count` values of at least `least`.
bool areAll(llvm::ArrayRef<int64_t> values, size_t count, int64_t least);

llvm::LogicalResult verifyRows(mlir::Operation *op, mlir::RankedTensorType type);
/// Vectors along the last dimension of x.
llvm::LogicalResult verifyChannels(mlir::Operation *op, mlir::RankedTensorType x,
                                   mlir::ValueRange vectors);
/// Positive.
llvm::LogicalResult verifyEps(mlir::Operation *op, const llvm::APFloat &eps);
} // namespace ampc
#endif
