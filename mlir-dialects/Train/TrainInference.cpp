// Shapes of results, and which elements of operands they are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static RankedTensorType tensorOf(Type type) { return dyn_cast<RankedTensorType>(type); }

AffineMap ampc::broadcastMap(Type type, ArrayRef<int64_t> space) {
  ArrayRef<int64_t> shape = tensorOf(type).getShape();
  unsigned offset = space.size() - shape.size();
  SmallVector<AffineExpr> exprs;
  for (auto [i, size] : llvm::enumerate(shape))
    exprs.push_back(size == 1 && space[offset + i] != 1
                        ? getAffineConstantExpr(0, type.getContext())
                        : getAffineDimExpr(offset + i, type.getContext()));
  return AffineMap::get(space.size(), 0, exprs, type.getContext());
}

// getMajorSubMap(0) would be a null map.
AffineMap ampc::rowMap(unsigned rank, MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i + 1 < rank; ++i)
    exprs.push_back(getAffineDimExpr(i, context));
  return AffineMap::get(rank, 0, exprs, context);
}

static LogicalResult broadcastShapes(std::optional<Location> loc, RankedTensorType a,
                                     RankedTensorType b, SmallVectorImpl<int64_t> &shape) {
  shape.assign(std::max(a.getRank(), b.getRank()), 1);
  for (int64_t i = 1, e = shape.size(); i <= e; ++i) {
    int64_t x = i <= a.getRank() ? a.getShape()[a.getRank() - i] : 1;
    int64_t y = i <= b.getRank() ? b.getShape()[b.getRank() - i] : 1;
    if (x != y && x != 1 && y != 1)
      return emitOptionalError(loc, "expected shapes that broadcast, but got ", a, " and ", b);
    shape[e - i] = x == 1 ? y : x;
  }
  return success();
}

LogicalResult ampc::inferBroadcast(std::optional<Location> loc, Type a, Type b,
                                   SmallVectorImpl<Type> &types) {
  auto ta = tensorOf(a), tb = tensorOf(b);
  if (!ta || !tb || ta.getElementType() != tb.getElementType())
    return emitOptionalError(loc, "expected operands of one element type, but got ", a, " and ", b);
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(loc, ta, tb, shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, ta.getElementType()));
  return success();
}

LogicalResult ampc::inferSelect(std::optional<Location> loc, ValueRange operands,
                                SmallVectorImpl<Type> &types) {
  auto condition = tensorOf(operands[0].getType());
  if (!condition || !condition.getElementType().isInteger(1))
    return emitOptionalError(loc, "expected a condition of i1, but got ", operands[0].getType());
  SmallVector<Type> values;
  if (failed(inferBroadcast(loc, operands[1].getType(), operands[2].getType(), values)))
    return failure();
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(loc, condition, tensorOf(values[0]), shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, tensorOf(values[0]).getElementType()));
  return success();
}

LogicalResult ampc::inferTranspose(std::optional<Location> loc, Type x,
                                   ArrayRef<int64_t> permutation, SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!type || sorted != llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
    return emitOptionalError(loc, "expected a permutation of the dimensions of ", x, ", but got [",
                             permutation, "]");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ampc::inferReduce(std::optional<Location> loc, Type x, ArrayRef<int64_t> dims,
                                SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, but got ", x);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= type.getRank() || (i && dims[i - 1] >= dim))
      return emitOptionalError(loc, "expected ascending dimensions of ", x, ", but got [", dims,
                               "]");
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      shape.push_back(size);
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

SmallVector<int64_t> ampc::inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

//===--- Iteration spaces
//----------------------------------------------------------------------===//

AffineMap TransposeOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : ::ampc::inversePermutation(getPermutation()))
    exprs.push_back(getAffineDimExpr(dim, getContext()));
  return AffineMap::get(getType().getRank(), 0, exprs, getContext());
}
SmallVector<int64_t> SoftmaxCrossEntropyOp::getSpace() {
  return llvm::to_vector(getLogits().getType().getShape());
}
AffineMap SoftmaxCrossEntropyOp::getOperandMap(unsigned i) {
  return i == 0 || !isSparse() ? broadcastMap(getLogits().getType(), getSpace()) : getResultMap(0);
}
AffineMap SoftmaxCrossEntropyOp::getResultMap(unsigned) {
  return rowMap(getLogits().getType().getRank(), getContext());
}
AffineMap OneHotOp::getOperandMap(unsigned) { return rowMap(getType().getRank(), getContext()); }

SmallVector<int64_t> ArgmaxOp::getSpace() { return llvm::to_vector(getX().getType().getShape()); }
AffineMap ArgmaxOp::getResultMap(unsigned) {
  return rowMap(getX().getType().getRank(), getContext());
}
SmallVector<int64_t> LogSumExpOp::getSpace() {
  return llvm::to_vector(getX().getType().getShape());
}
AffineMap LogSumExpOp::getResultMap(unsigned) {
  return rowMap(getX().getType().getRank(), getContext());
}

AffineMap SliceOp::getOperandMap(unsigned) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, offset] : llvm::enumerate(getOffsets()))
    exprs.push_back(getAffineDimExpr(i, getContext()) * getStrides()[i] + offset);
  return AffineMap::get(exprs.size(), 0, exprs, getContext());
}

/// Results after the first hold one value per row.
static AffineMap rowNormGradMap(Operation *op, unsigned index) {
  unsigned rank = tensorOf(op->getOperand(0).getType()).getRank();
  return index == 0 ? AffineMap::getMultiDimIdentityMap(rank, op->getContext())
                    : rowMap(rank, op->getContext());
}
AffineMap LayerNormGradOp::getResultMap(unsigned index) { return rowNormGradMap(*this, index); }
AffineMap RmsNormGradOp::getResultMap(unsigned index) { return rowNormGradMap(*this, index); }
