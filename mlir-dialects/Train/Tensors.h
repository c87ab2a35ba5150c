// What families say of types and sizes of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TENSORS_H
#define MLIR_DIALECTS_TRAIN_TENSORS_H

#include "mlir-dialects/Train/Train.h"
#include <optional>

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
/// Of as many sums as the value has elements.
inline mlir::RankedTensorType accumulatorsOf(mlir::Value v) {
  return tensorOf(v).clone(accumulatorOf(tensorOf(v).getElementType()));
}

/// Sizes of user models may be any number; nothing answers for a sum that 64 bits do not hold.
std::optional<int64_t> sumOf(llvm::ArrayRef<int64_t> values);
std::optional<int64_t> productOf(int64_t a, int64_t b);
/// Whether there are `count` values of at least `least`.
bool areAll(llvm::ArrayRef<int64_t> values, size_t count, int64_t least);

/// Numbers of how windows move: less than 2^31, so that places in an image do not overflow.
bool areWindowNumbers(llvm::ArrayRef<int64_t> values, size_t count, int64_t least);
/// How many windows a padded dimension has; nothing if none fits.
std::optional<int64_t> windowsAlong(int64_t size, llvm::ArrayRef<int64_t> padding, int64_t window,
                                    int64_t stride, int64_t dilation = 1);

/// The type of a slice whose strides are not 0: it has to lie inside.
llvm::LogicalResult inferSlice(std::optional<mlir::Location> loc, mlir::RankedTensorType type,
                               llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> strides,
                               llvm::SmallVectorImpl<mlir::Type> &types);
/// Elements of one dimension by number.
Value takeAlong(GradBuilder &b, Value x, int64_t dim, llvm::ArrayRef<int32_t> index);

llvm::LogicalResult verifyRows(mlir::Operation *op, mlir::RankedTensorType type);
/// Vectors along a dimension of x, which is the last if `dim` is -1.
llvm::LogicalResult verifyChannels(mlir::Operation *op, mlir::RankedTensorType x,
                                   mlir::ValueRange vectors, int64_t dim = -1);
/// That the type has a dimension of that number.
llvm::LogicalResult verifyDimension(mlir::Operation *op, mlir::Type type, int64_t dim);
llvm::LogicalResult inferDimension(std::optional<mlir::Location> loc, mlir::Type type, int64_t dim);
/// As the function of numbers; no attribute, while an op is parsed, means the last.
int64_t dimensionAlong(mlir::RankedTensorType type, mlir::IntegerAttr dim);
mlir::RankedTensorType withoutDimension(mlir::RankedTensorType type, int64_t dim);
/// A value per row: the type without the dimension that an op with AlongOpInterface looks along.
/// Null, with an error, if there is no such dimension.
mlir::RankedTensorType inferRows(std::optional<mlir::Location> loc, mlir::Type type,
                                 mlir::IntegerAttr dim);
/// What IndexOpInterface::setStartIndices does for ops with a padding.
template <typename Op> void setStart(Op op, mlir::Value index) {
  if (std::optional<int64_t> padding = op.getPadding(); padding && op.getFromEnd() && *padding < 0)
    op.setPadding(*padding + op.getIndexLimit());
  op.getIndexMutable().assign(index);
  op.setFromEnd(false);
}
/// The fans of a filter [O, K..., I], operand 1 of an op, as torch.nn.init defines them: it counts
/// no groups among the outputs and takes a transposed convolution for the convolution that it is
/// the adjoint of.
std::optional<Fans> fansOfFilter(unsigned operand, mlir::RankedTensorType filter);
/// The fans of a table [rows, width], operand 0 of a lookup, as torch.nn.init defines them. None
/// for a table of matrices, of which a lookup gives weights.
std::optional<Fans> fansOfTable(unsigned operand, mlir::RankedTensorType table);
/// Positive.
llvm::LogicalResult verifyEps(mlir::Operation *op, const llvm::APFloat &eps);
} // namespace ampc
#endif
