// Checks and inference of tensor types and sizes, shared by op families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_TENSORS_H
#define MLIR_DIALECTS_TRAIN_OPS_TENSORS_H

#include "mlir-dialects/Train/Train.h"
#include <optional>

namespace ampc {
/// Query of BatchedOpInterface: whether a value has a part per row of the batch.
using IsBatched = llvm::function_ref<bool(mlir::Value)>;

/// Type as a ranked tensor; null for other types.
inline mlir::RankedTensorType tensorOf(mlir::Type type) {
  return mlir::dyn_cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType tensorOf(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType());
}

/// Sums and counts of 16-bit values are formed in f32.
mlir::Type accumulatorOf(mlir::Type element);
/// Type of accumulators, one per element of the value: tensor<4xbf16> -> tensor<4xf32>.
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

/// Type of a slice with nonzero strides; an error if the slice exceeds the tensor.
llvm::LogicalResult inferSlice(std::optional<mlir::Location> loc, mlir::RankedTensorType type,
                               llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> strides,
                               llvm::SmallVectorImpl<mlir::Type> &types);
/// Gathers elements along one dimension by index: [5, 3], dim 0, index [4, 0] -> [2, 3].
Value takeAlong(GradBuilder &b, Value x, int64_t dim, llvm::ArrayRef<int32_t> index);

llvm::LogicalResult verifyRows(mlir::Operation *op, mlir::RankedTensorType type);
/// Checks that vectors have the size of dimension `dim` of x; -1: the last dimension.
llvm::LogicalResult verifyChannels(mlir::Operation *op, mlir::RankedTensorType x,
                                   mlir::ValueRange vectors, int64_t dim = -1);
/// Checks that the type has dimension `dim`.
llvm::LogicalResult verifyDimension(mlir::Operation *op, mlir::Type type, int64_t dim);
llvm::LogicalResult inferDimension(std::optional<mlir::Location> loc, mlir::Type type, int64_t dim);
/// As the function of numbers; no attribute, while an op is parsed, means the last.
int64_t dimensionAlong(mlir::RankedTensorType type, mlir::IntegerAttr dim);
mlir::RankedTensorType withoutDimension(mlir::RankedTensorType type, int64_t dim);
/// A value per row: the type without the dimension that an op with AlongOpInterface looks along.
/// Null, with an error, if there is no such dimension.
mlir::RankedTensorType inferRows(std::optional<mlir::Location> loc, mlir::Type type,
                                 mlir::IntegerAttr dim);
/// Implementation of IndexOpInterface::setStartIndices for ops with a padding index.
template <typename Op> void setStart(Op op, mlir::Value index) {
  if (std::optional<int64_t> padding = op.getPadding(); padding && op.getFromEnd() && *padding < 0)
    op.setPadding(*padding + op.getIndexLimit());
  op.getIndexMutable().assign(index);
  op.setFromEnd(false);
}
/// Fans of a filter [O, K..., I], operand 1 of an op, as in torch.nn.init: groups are not counted
/// among the outputs, and a transposed convolution has the fans of the convolution whose adjoint it
/// is.
std::optional<Fans> fansOfFilter(unsigned operand, mlir::RankedTensorType filter);
/// Fans of a table [rows, width], operand 0 of a lookup, as in torch.nn.init. None for a table of
/// matrices, whose lookup results are weights.
std::optional<Fans> fansOfTable(unsigned operand, mlir::RankedTensorType table);
/// Checks eps > 0.
llvm::LogicalResult verifyEps(mlir::Operation *op, const llvm::APFloat &eps);
} // namespace ampc
#endif
