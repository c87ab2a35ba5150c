// How composite and modal ops become primitive ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static RankedTensorType tensorOf(Value v) { return cast<RankedTensorType>(v.getType()); }
static double number(const APFloat &x) { return x.convertToDouble(); }

/// Sums and counts of 16-bit values are formed in f32.
static Type accumulatorOf(Type element) {
  return element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}
static SmallVector<int64_t> allDims(Value v) {
  return llvm::to_vector(llvm::seq<int64_t>(0, tensorOf(v).getRank()));
}
static Value sumAll(GradBuilder &b, Value v) {
  return tensorOf(v).getRank() == 0 ? v : b.reduceSum(v, allDims(v));
}

//===--- Rows that count
//-----------------------------------------------------------------------===//

/// `valid` in units of the leading dimension.
static Value validLeading(GradBuilder &b, RankedTensorType type, Value valid,
                          std::optional<int64_t> batchRows) {
  int64_t parts = type.getDimSize(0) / batchRows.value_or(type.getDimSize(0));
  return parts == 1 ? valid : b.mul(valid, b.real(double(parts), valid));
}
Value ampc::validMask(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows) {
  auto type = cast<RankedTensorType>(like);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[0] = type.getDimSize(0);
  Value row = b.op<IotaOp>(RankedTensorType::get(shape, b.builder.getI32Type()), 0);
  return b.compare(ComparePredicate::lt, row, validLeading(b, type, valid, batchRows));
}
Value ampc::validCount(GradBuilder &b, Type like, Value valid, std::optional<int64_t> batchRows,
                       Type element) {
  return b.castTo(validLeading(b, cast<RankedTensorType>(like), valid, batchRows), element);
}

//===--- Losses
//--------------------------------------------------------------------------------===//

namespace {
/// From losses of rows or elements to one number.
struct LossReduction {
  GradBuilder &b;
  Reduction reduction;
  Value valid;
  std::optional<int64_t> batchRows;
  /// Which losses count besides the valid ones; may be null.
  Value counted = {};

  Value run(Value losses, Type result) {
    Type element = getElementTypeOrSelf(result), wide = accumulatorOf(element);
    if (valid)
      losses = b.select(mask(losses), losses, b.real(0.0, losses));
    if (reduction == Reduction::none)
      return losses;
    Value sum = sumAll(b, b.castTo(losses, wide));
    return b.castTo(reduction == Reduction::sum ? sum : b.div(sum, count(losses, wide)), element);
  }
  Value mask(Value losses) { return validMask(b, losses.getType(), valid, batchRows); }
  Value count(Value losses, Type wide) {
    auto type = tensorOf(losses);
    Value one = b.real(1.0, wide);
    if (counted) {
      Value ones = b.select(counted, one, b.real(0.0, wide));
      if (valid)
        ones = b.select(mask(losses), ones, b.real(0.0, wide));
      Value sum = sumAll(b, ones);
      return b.select(b.greater(sum, one), sum, one); // a mean over no row is 0
    }
    if (!valid)
      return b.real(double(type.getNumElements()), wide);
    double perRow = double(type.getNumElements()) / type.getDimSize(0);
    return b.mul(validCount(b, type, valid, batchRows, wide), b.real(perRow, wide));
  }
};
} // namespace

template <typename Op> static bool isReducedLoss(Op op) {
  return op.getReduction() != Reduction::none || op.getValid();
}
template <typename Op>
static SmallVector<Value> reduceLoss(Op op, GradBuilder &b, Value losses, Value counted = {}) {
  return {LossReduction{b, op.getReduction(), op.getValid(), op.getBatchRows(), counted}.run(
      losses, op.getType())};
}

bool SoftmaxCrossEntropyOp::isComposite() { return isReducedLoss(*this); }
SmallVector<Value> SoftmaxCrossEntropyOp::decompose(GradBuilder &b) {
  Value losses = b.op<SoftmaxCrossEntropyOp>(getLogits(), getTarget(), Value(), Reduction::none,
                                             getIgnoreAttr(), getSmoothing(), IntegerAttr());
  Value counted;
  if (auto ignore = getIgnore(); ignore && isSparse())
    counted = b.compare(ComparePredicate::ne, getTarget(), b.real(double(*ignore), getTarget()));
  return reduceLoss(*this, b, losses, counted);
}
template <typename Op> static SmallVector<Value> decomposeElementLoss(Op op, GradBuilder &b) {
  return reduceLoss(op, b,
                    b.op<Op>(op.getX(), op.getTarget(), Value(), Reduction::none, IntegerAttr()));
}
bool BceWithLogitsOp::isComposite() { return isReducedLoss(*this); }
SmallVector<Value> BceWithLogitsOp::decompose(GradBuilder &b) {
  return decomposeElementLoss(*this, b);
}
bool MseOp::isComposite() { return isReducedLoss(*this); }
SmallVector<Value> MseOp::decompose(GradBuilder &b) { return decomposeElementLoss(*this, b); }
bool L1Op::isComposite() { return isReducedLoss(*this); }
SmallVector<Value> L1Op::decompose(GradBuilder &b) { return decomposeElementLoss(*this, b); }
bool SmoothL1Op::isComposite() { return isReducedLoss(*this); }
SmallVector<Value> SmoothL1Op::decompose(GradBuilder &b) {
  return reduceLoss(
      *this, b,
      b.op<SmoothL1Op>(getX(), getTarget(), Value(), Reduction::none, getBeta(), IntegerAttr()));
}

//===--- Reductions, parts and products
//--------------------------------------------------------===//

SmallVector<Value> ReduceMeanOp::decompose(GradBuilder &b) {
  Type element = getType().getElementType(), wide = accumulatorOf(element);
  Value sum = b.reduceSum(b.castTo(getX(), wide), getDims());
  double share = double(getType().getNumElements()) / getX().getType().getNumElements();
  return {b.castTo(b.mul(sum, b.real(share, sum)), element)};
}

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

SmallVector<Value> SplitOp::decompose(GradBuilder &b) {
  SmallVector<Value> parts;
  SmallVector<int64_t> offsets(getX().getType().getRank(), 0),
      strides(getX().getType().getRank(), 1);
  for (Value part : getParts()) {
    ArrayRef<int64_t> shape = tensorOf(part).getShape();
    parts.push_back(b.op<SliceOp>(getX(), offsets, shape, strides));
    offsets[getDim()] += shape[getDim()];
  }
  return parts;
}
SmallVector<Value> EmbeddingOp::decompose(GradBuilder &b) {
  return {b.op<GatherOp>(getTable(), getIndex(), getPaddingAttr())};
}
SmallVector<Value> GlobalAvgPoolOp::decompose(GradBuilder &b) {
  return {b.op<ReduceMeanOp>(getX(), ArrayRef<int64_t>{1, 2})};
}

SmallVector<Value> LinearOp::decompose(GradBuilder &b) {
  auto type = getX().getType();
  Type element = type.getElementType(), wide = accumulatorOf(element);
  int64_t in = type.getShape().back(), rows = type.getNumElements() / in;
  Value flat = b.reshape(getX(), type.clone({rows, in}));
  Value y = b.matmul(flat, getWeight(), false, false, wide);
  if (getBias())
    y = b.add(y, b.castTo(getBias(), wide));
  return {b.reshape(b.castTo(y, element), getType())};
}

//===--- Modes
//---------------------------------------------------------------------------------===//

SmallVector<Value> DropoutOp::buildInference(GradBuilder &) { return {getX()}; }
SmallVector<Value> DropoutOp::buildTraining(GradBuilder &) { return {}; }

SmallVector<Value> BatchNormOp::buildInference(GradBuilder &b) {
  Type channel = getGamma().getType(), element = getType().getElementType();
  Value mean = ReadOp::create(b.builder, b.loc, channel, getRunningMean());
  Value variance = ReadOp::create(b.builder, b.loc, channel, getRunningVariance());
  Value scale =
      b.mul(b.op<RsqrtOp>(b.add(variance, b.real(number(getEps()), element))), getGamma());
  return {b.add(b.mul(b.sub(getX(), mean), scale), getBeta())};
}

// The batch and the image become one dimension, so that the mask of valid rows is a column, which
// fuses.
SmallVector<Value> BatchNormOp::buildTraining(GradBuilder &b) {
  auto whole = getX().getType();
  Type element = whole.getElementType(), channel = getGamma().getType();
  int64_t channels = whole.getShape().back(), batch = getBatchRows().value_or(whole.getDimSize(0));
  auto type = whole.clone({whole.getNumElements() / channels, channels});
  Value x = b.reshape(getX(), type), zero = b.real(0.0, element), one = b.real(1.0, element), mask;
  Value count = b.real(double(type.getDimSize(0)), element);
  IntegerAttr batchRows;
  if (getValid()) {
    batchRows = b.builder.getI64IntegerAttr(batch);
    mask = validMask(b, type, getValid(), batch);
    count = validCount(b, type, getValid(), batch, element);
  }
  auto sum = [&](Value v) { return b.reduceSum(mask ? b.select(mask, v, zero) : v, 0); };
  Value mean = b.div(sum(x), count);
  // Not x - mean, which the adjoint forms: a value with two readers would go through memory.
  Value squares = sum(b.square(b.sub(mean, x)));
  Value scale = b.op<RsqrtOp>(b.add(b.div(squares, count), b.real(number(getEps()), element)));

  double momentum = number(getMomentum());
  auto follow = [&](FlatSymbolRefAttr name, Value now) {
    Value old = ReadOp::create(b.builder, b.loc, channel, name);
    Value next =
        b.add(b.mul(b.real(1 - momentum, element), old), b.mul(b.real(momentum, element), now));
    WriteOp::create(b.builder, b.loc, name, b.op<StopGradientOp>(next));
  };
  // A single element has no unbiased variance; it counts as 0.
  Value rest = b.sub(count, one);
  follow(getRunningMeanAttr(), mean);
  follow(getRunningVarianceAttr(), b.div(squares, b.select(b.greater(rest, one), rest, one)));
  Value y =
      b.op<BatchNormalizeOp>(x, mean, scale, getGamma(), getBeta(), count, getValid(), batchRows);
  return {b.reshape(y, whole)};
}
