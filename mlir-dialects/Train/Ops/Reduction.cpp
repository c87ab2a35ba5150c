// Reductions and ops along the last dimension: shapes, verifiers, longer adjoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/Support/MathExtras.h"

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
  Value share = b.op<CountOp>(RankedTensorType::get({}, wide), getX(), getDims(), true);
  return {b.castTo(b.mul(sum, share), element)};
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

/// Transposes and merges the reduced dimensions into a last dimension: [2, 3, 4], dims [0] -> [3,
/// 4, 2].
static Value moveLast(GradBuilder &b, Value x, ArrayRef<int64_t> dims, RankedTensorType kept) {
  SmallVector<int64_t> order, shape(kept.getShape());
  for (int64_t i = 0; i < tensorOf(x).getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      order.push_back(i);
  llvm::append_range(order, dims);
  shape.push_back(tensorOf(x).getNumElements() / kept.getNumElements());
  return b.reshape(b.transpose(x, order), kept.clone(shape));
}

SmallVector<Value> LogSumExpOp::decompose(GradBuilder &b) {
  Value last = moveLast(b, getX(), getDims(), getType());
  return {b.op<LogSumExpOp>(last, ArrayRef<int64_t>{tensorOf(last).getRank() - 1})};
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType();
  RankedTensorType rows = inferRows(loc, x, a.getProperties().dim);
  if (!rows)
    return failure();
  auto type = tensorOf(x);
  int64_t size = type.getDimSize(dimensionAlong(type, a.getProperties().dim));
  if (size >= (1 << 24))
    return emitOptionalError(loc, "expected a dimension of less than 2^24, but got ", size);
  types.push_back(rows.clone(IntegerType::get(x.getContext(), 32)));
  return success();
}

SmallVector<int64_t> ArgmaxOp::getSpace() { return llvm::to_vector(getX().getType().getShape()); }

AffineMap ArgmaxOp::getResultMap(unsigned) {
  return rowMap(getX().getType().getRank(), getContext());
}

bool ReduceProdOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceL1Op::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceL2Op::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceLogSumOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

// Product by repeated halving until one element is left; the first step pads to a power of two.
SmallVector<Value> ReduceProdOp::decompose(GradBuilder &b) {
  Type element = getType().getElementType();
  Value x = moveLast(b, b.castTo(getX(), accumulatorOf(element)), getDims(), getType());
  SmallVector<int64_t> shape(tensorOf(x).getShape()), low(shape.size(), 0), ones(shape.size(), 1);
  int64_t size = llvm::PowerOf2Ceil(shape.back());
  if (SmallVector<int64_t> high(low); (high.back() = size - shape.back()))
    x = b.op<PadOp>(x, APFloat(1.0), low, high, low);
  while (size > 1) {
    SmallVector<int64_t> second(low);
    shape.back() = second.back() = size /= 2;
    x = b.mul(b.op<SliceOp>(x, low, shape, ones), b.op<SliceOp>(x, second, shape, ones));
  }
  return {b.castTo(b.reshape(x, getType()), element)};
}

/// Sum of `before(x)` in the accumulator's type, followed by `after`.
template <typename Op, typename Before, typename After>
static SmallVector<Value> decomposeSum(Op op, GradBuilder &b, Before before, After after) {
  Type element = op.getType().getElementType();
  Value x = before(b.castTo(op.getX(), accumulatorOf(element)));
  return {b.castTo(after(b.reduceSum(x, op.getDims())), element)};
}
SmallVector<Value> ReduceL1Op::decompose(GradBuilder &b) {
  return decomposeSum(
      *this, b, [&](Value x) { return b.op<AbsOp>(x); }, [](Value sum) { return sum; });
}
SmallVector<Value> ReduceL2Op::decompose(GradBuilder &b) {
  return decomposeSum(
      *this, b, [&](Value x) { return b.square(x); }, [&](Value sum) { return b.sqrt(sum); });
}
SmallVector<Value> ReduceLogSumOp::decompose(GradBuilder &b) {
  return decomposeSum(
      *this, b, [](Value x) { return x; }, [&](Value sum) { return b.op<LogOp>(sum); });
}
