// Reductions and ops along the last dimension: shapes, verifiers, longer adjoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

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

bool ReduceSumOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceMeanOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

SmallVector<Value> ReduceMeanOp::decompose(GradBuilder &b) {
  Type element = getType().getElementType(), wide = accumulatorOf(element);
  Value sum = b.reduceSum(b.castTo(getX(), wide), getDims());
  double share = double(getType().getNumElements()) / getX().getType().getNumElements();
  return {b.castTo(b.mul(sum, b.real(share, sum)), element)};
}

Value ampc::reduceExtremumAdjoint(GradBuilder &b, Value g, Value x, Value result,
                                  ArrayRef<int64_t> dims) {
  auto column = GradBuilder::withOnes(x.getType(), dims);
  Value zero = b.real(0.0, g), hit = b.compare(ComparePredicate::eq, x, b.reshape(result, column));
  Value count = b.reduceSum(b.select(hit, b.real(1.0, g), zero), dims);
  return b.select(hit, b.reshape(b.div(g, count), column), zero);
}

bool ReduceMaxOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceMinOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

SmallVector<int64_t> LogSumExpOp::getSpace() {
  return llvm::to_vector(getX().getType().getShape());
}

AffineMap LogSumExpOp::getResultMap(unsigned) {
  return rowMap(getX().getType().getRank(), getContext());
}

bool LogSumExpOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

bool LogSumExpOp::isComposite() {
  return getDims() != ArrayRef<int64_t>{getX().getType().getRank() - 1};
}

// The reduced dimensions become the last one.
SmallVector<Value> LogSumExpOp::decompose(GradBuilder &b) {
  SmallVector<int64_t> order, shape(getType().getShape());
  for (int64_t i = 0; i < getX().getType().getRank(); ++i)
    if (!llvm::is_contained(getDims(), i))
      order.push_back(i);
  llvm::append_range(order, getDims());
  shape.push_back(getX().getType().getNumElements() / getType().getNumElements());
  Value last = b.reshape(b.transpose(getX(), order), getType().clone(shape));
  return {b.op<LogSumExpOp>(last, ArrayRef<int64_t>{int64_t(shape.size()) - 1})};
}

LogicalResult SoftmaxOp::verify() { return verifyRows(*this, getType()); }
LogicalResult LogSoftmaxOp::verify() { return verifyRows(*this, getType()); }

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  auto type = tensorOf(x);
  if (!type || type.getRank() < 1 || type.getShape().back() >= (1 << 24))
    return emitOptionalError(loc, "expected a last dimension of less than 2^24, but got ", x);
  types.push_back(
      RankedTensorType::get(type.getShape().drop_back(), IntegerType::get(x.getContext(), 32)));
  return success();
}

SmallVector<int64_t> ArgmaxOp::getSpace() { return llvm::to_vector(getX().getType().getShape()); }

AffineMap ArgmaxOp::getResultMap(unsigned) {
  return rowMap(getX().getType().getRank(), getContext());
}
