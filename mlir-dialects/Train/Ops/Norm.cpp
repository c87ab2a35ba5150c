// Normalisation: verifiers, scalar code of gradients, adjoints, modes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/ValidRows.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static LogicalResult inferRowNormGrad(std::optional<Location> loc, Type x, unsigned columns,
                                      SmallVectorImpl<Type> &types) {
  auto type = tensorOf(x);
  if (!type || type.getRank() < 1)
    return emitOptionalError(loc, "expected at least one dimension, but got ", x);
  types.push_back(x);
  types.append(columns, type.clone(type.getShape().drop_back()));
  return success();
}
LogicalResult LayerNormGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                Adaptor a, SmallVectorImpl<Type> &types) {
  return inferRowNormGrad(loc, a.getX().getType(), 2, types);
}
LogicalResult RmsNormGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                              SmallVectorImpl<Type> &types) {
  return inferRowNormGrad(loc, a.getX().getType(), 1, types);
}

LogicalResult ampc::verifyChannels(Operation *op, RankedTensorType x, ValueRange vectors,
                                   int64_t dim) {
  if (failed(verifyRows(op, x)))
    return failure();
  auto expected = x.clone({x.getDimSize(dimensionAlong(x, dim))});
  for (Value vector : vectors)
    if (vector.getType() != expected)
      return op->emitOpError() << "expected a value per channel of type " << expected
                               << ", but got " << vector.getType();
  return success();
}

LogicalResult ampc::verifyEps(Operation *op, const APFloat &eps) {
  if (!(number(eps) > 0))
    return op->emitOpError() << "expected a positive eps, but got " << number(eps);
  return success();
}

// Bound of n numbers with mean 0 and mean square 1: sqrt(n - 1); without the mean condition,
// sqrt(n).
std::optional<double> LayerNormOp::getNormalizedBound() {
  return std::sqrt(double(getAlongSize()) - 1);
}
std::optional<double> RmsNormOp::getNormalizedBound() { return std::sqrt(double(getAlongSize())); }

LogicalResult LayerNormOp::verify() {
  return failed(verifyEps(*this, getEps()))
             ? failure()
             : verifyChannels(*this, getX().getType(), {getGamma(), getBeta()}, getDim());
}

// A single pass gives dx and the row statistics; gamma and beta are sums over the rows.
SmallVector<Value> LayerNormOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  Value dx = b.op<LayerNormGradOp>(getX(), getGamma(), g, getEps());
  ResultRange grad = dx.getDefiningOp()->getResults();
  Value normal = b.mul(b.sub(getX(), b.columnOf(grad[1])), b.columnOf(grad[2]));
  return {dx, b.mul(g, normal), g};
}

LogicalResult RmsNormOp::verify() {
  return failed(verifyEps(*this, getEps()))
             ? failure()
             : verifyChannels(*this, getX().getType(), getGamma(), getDim());
}

SmallVector<Value> RmsNormOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  Value dx = b.op<RmsNormGradOp>(getX(), getGamma(), g, getEps());
  Value normal = b.mul(getX(), b.columnOf(dx.getDefiningOp()->getResult(1)));
  return {dx, b.mul(g, normal)};
}

template <typename Op> static LogicalResult verifyRowNormGrad(Op op) {
  if (failed(verifyEps(op, op.getEps())))
    return failure();
  if (op.getG().getType() != op.getX().getType())
    return op.emitOpError() << "expected a cotangent of type " << op.getX().getType()
                            << ", but got " << op.getG().getType();
  return verifyChannels(op, op.getX().getType(), op.getGamma());
}

LogicalResult LayerNormGradOp::verify() { return verifyRowNormGrad(*this); }

/// Indexing map of a result: dx has the map of x, later results hold one value per row.
static AffineMap rowNormGradMap(Operation *op, unsigned index) {
  unsigned rank = tensorOf(op->getOperand(0).getType()).getRank();
  return index == 0 ? AffineMap::getMultiDimIdentityMap(rank, op->getContext())
                    : rowMap(rank, op->getContext());
}

AffineMap LayerNormGradOp::getResultMap(unsigned index) { return rowNormGradMap(*this, index); }

// With n the normalised row and h = g gamma: dx = scale (h - mean(h) - n mean(h n)).
SmallVector<Value> LayerNormGradOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value n = b.real(double(getX().getType().getShape().back()));
  Value mean = b.div(b.rowSum(x[0]), n), centred = b.sub(x[0], mean);
  Value variance = b.div(b.rowSum(b.mul(centred, centred)), n);
  Value scale = b.rsqrt(b.add(variance, b.real(number(getEps()))));
  Value normal = b.mul(centred, scale), h = b.mul(x[2], x[1]);
  Value inner =
      b.sub(b.sub(h, b.div(b.rowSum(h), n)), b.mul(normal, b.div(b.rowSum(b.mul(h, normal)), n)));
  return {b.mul(scale, inner), mean, scale};
}

/// Adjoints of the gradient ops for {x, gamma, g}, from cotangents of dx, of the scale, and (layer
/// norm) of the mean. With n the normalized row of length N and h = g gamma, dx = scale P(h) with
/// the symmetric P(v) = v - [mean(v)] - n mean(v n): scale P(v) equals the op itself with cotangent
/// v and gamma = 1.
template <typename Op>
static SmallVector<Value> rowNormGradAdjoints(Op op, GradBuilder &b, Value normal, Value u,
                                              Value scaleBar, Value meanBar) {
  Value x = op.getX(), gamma = op.getGamma(), g = op.getG(), scale = b.columnOf(op.getScale());
  Value length = b.real(double(op.getX().getType().getShape().back()), g);
  Value ones = b.broadcastTo(b.real(1.0, gamma), gamma.getType());
  auto project = [&](Value v) { return b.op<Op>(x, ones, v, op.getEps()); };
  auto mean = [&](Value v) { return b.div(b.rowSum(v), length); };
  SmallVector<Value> adjoints(3);
  auto addToX = [&](Value v) { adjoints[0] = adjoints[0] ? b.add(adjoints[0], v) : v; };
  Value scaleSum = scaleBar ? b.columnOf(scaleBar) : Value();
  if (u) {
    Value h = b.mul(g, gamma), hBar = project(u);
    adjoints[1] = b.mul(hBar, g), adjoints[2] = b.mul(hBar, gamma);
    Value normalBar = b.add(b.mul(mean(b.mul(h, normal)), u), b.mul(mean(b.mul(u, normal)), h));
    addToX(b.neg(project(b.mul(scale, normalBar))));
    Value fromDx = b.div(b.rowSum(b.mul(u, op.getDx())), scale);
    scaleSum = scaleSum ? b.add(scaleSum, fromDx) : fromDx;
  }
  if (scaleSum) // d scale / dx = -scale^2 n / N
    addToX(b.neg(b.mul(b.div(b.mul(scaleSum, b.square(scale)), length), normal)));
  if (meanBar)
    addToX(b.broadcastTo(b.div(b.columnOf(meanBar), length), x.getType()));
  return adjoints;
}

SmallVector<Value> LayerNormGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value normal = b.mul(b.sub(getX(), b.columnOf(getMean())), b.columnOf(getScale()));
  return rowNormGradAdjoints(*this, b, normal, cotangents[0], cotangents[2], cotangents[1]);
}

LogicalResult RmsNormGradOp::verify() { return verifyRowNormGrad(*this); }
AffineMap RmsNormGradOp::getResultMap(unsigned index) { return rowNormGradMap(*this, index); }

SmallVector<Value> RmsNormGradOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value n = b.real(double(getX().getType().getShape().back()));
  Value scale = b.rsqrt(b.add(b.div(b.rowSum(b.mul(x[0], x[0])), n), b.real(number(getEps()))));
  Value normal = b.mul(x[0], scale), h = b.mul(x[2], x[1]);
  return {b.mul(scale, b.sub(h, b.mul(normal, b.div(b.rowSum(b.mul(h, normal)), n)))), scale};
}

SmallVector<Value> RmsNormGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value normal = b.mul(getX(), b.columnOf(getScale()));
  return rowNormGradAdjoints(*this, b, normal, cotangents[0], cotangents[1], Value());
}

LogicalResult BatchNormOp::verify() {
  double momentum = number(getMomentum());
  if (getX().getType().getRank() < 2)
    return emitOpError() << "expected a batch of channels, but got " << getX().getType();
  if (!(momentum >= 0 && momentum <= 1))
    return emitOpError() << "expected a momentum in [0, 1], but got " << momentum;
  if (failed(verifyEps(*this, getEps())) ||
      failed(verifyChannels(*this, getX().getType(), {getGamma(), getBeta()}, getDim())))
    return failure();
  return verifyRowsOfBatch(*this);
}

LogicalResult BatchNormOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr name : {getRunningMeanAttr(), getRunningVarianceAttr()}) {
    auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(*this, name);
    if (!buffer)
      return emitOpError() << "expected a buffer, but " << name << " is none";
    if (buffer.getType() != getGamma().getType())
      return emitOpError() << "expected " << name << " of type " << getGamma().getType()
                           << ", but got " << buffer.getType();
  }
  return success();
}

SmallVector<Value> BatchNormOp::buildInference(GradBuilder &b) {
  Type channel = getGamma().getType(), element = getType().getElementType();
  Value mean = ReadOp::create(b.builder, b.loc, channel, getRunningMean());
  Value variance = ReadOp::create(b.builder, b.loc, channel, getRunningVariance());
  Type wide = accumulatorOf(element);
  auto widen = [&](Value v) { return b.castTo(v, wide); };
  Value scale = b.mul(b.op<RsqrtOp>(b.add(widen(variance), b.real(number(getEps()), wide))),
                      widen(getGamma()));
  Value centred = b.sub(widen(getX()), widen(mean));
  return {b.castTo(b.add(b.mul(centred, scale), widen(getBeta())), element)};
}

/// Current value of a running statistic. If a step applies one norm twice, an earlier op has
/// updated the statistic already: its train.write is removed, and the written value returned.
static Value takeRunning(GradBuilder &b, FlatSymbolRefAttr name, Type type) {
  Block *block = b.builder.getInsertionBlock();
  auto before = llvm::make_range(block->begin(), b.builder.getInsertionPoint());
  for (Operation &op : llvm::make_early_inc_range(before))
    if (auto write = dyn_cast<WriteOp>(op); write && write.getStateAttr() == name) {
      Value value = write.getValue();
      write.erase();
      return value;
    }
  return ReadOp::create(b.builder, b.loc, type, name);
}

// Merges batch and image dimensions, [N, H, W, C] -> [N * H * W, C], so that the mask of valid rows
// is a column, which fuses. Statistics of 16-bit numbers are f32: squares exceed the range of f16
// from 256 on.
SmallVector<Value> BatchNormOp::buildTraining(GradBuilder &b) {
  auto whole = getX().getType();
  Type element = whole.getElementType(), wide = accumulatorOf(element);
  Type channel = getGamma().getType();
  int64_t channels = whole.getShape().back(), batch = getBatchRows().value_or(whole.getDimSize(0));
  auto type = whole.clone({whole.getNumElements() / channels, channels}, wide);
  auto widen = [&](Value v) { return b.castTo(v, wide); };
  Value x = b.reshape(widen(getX()), type), zero = b.real(0.0, wide), one = b.real(1.0, wide), mask;
  Value count = b.real(double(type.getDimSize(0)), wide);
  IntegerAttr batchRows;
  if (getValid()) {
    batchRows = b.builder.getI64IntegerAttr(batch);
    mask = validMask(b, type, getValid(), batch);
    count = validCount(b, type, getValid(), batch, wide);
  }
  auto sum = [&](Value v) { return b.reduceSum(mask ? b.select(mask, v, zero) : v, 0); };
  Value mean = b.div(sum(x), count);
  // mean - x in place of x - mean of the adjoint: a value with two consumers would be stored in
  // memory.
  Value squares = sum(b.square(b.sub(mean, x)));
  Value scale = b.op<RsqrtOp>(b.add(b.div(squares, count), b.real(number(getEps()), wide)));

  double momentum = number(getMomentum());
  auto follow = [&](FlatSymbolRefAttr name, Value now) {
    Value old = widen(takeRunning(b, name, channel));
    Value next = b.add(b.mul(b.real(1 - momentum, wide), old), b.mul(b.real(momentum, wide), now));
    next = b.castTo(next, getElementTypeOrSelf(channel));
    WriteOp::create(b.builder, b.loc, name, b.op<StopGradientOp>(next));
  };
  // The unbiased variance of a single element is undefined, and counts as 0.
  Value rest = getPopulation() ? count : b.sub(count, one);
  follow(getRunningMeanAttr(), mean);
  follow(getRunningVarianceAttr(), b.div(squares, b.select(b.greater(rest, one), rest, one)));
  Value y = b.op<BatchNormalizeOp>(x, mean, scale, widen(getGamma()), widen(getBeta()), count,
                                   getValid(), batchRows);
  return {b.castTo(b.reshape(y, whole.clone(wide)), element)};
}

LogicalResult BatchNormalizeOp::verify() {
  if (getCount().getType() != getType().clone(ArrayRef<int64_t>()))
    return emitOpError() << "expected a count of rank 0, but got " << getCount().getType();
  if (failed(verifyChannels(*this, getType(), {getMean(), getScale(), getGamma(), getBeta()})))
    return failure();
  return verifyBatchRows(*this, getType());
}

// With n = (x - mean) scale: dx = gamma scale (g - mean(g) - n mean(g n)).
SmallVector<Value> BatchNormalizeOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  auto type = getX().getType();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  Value g = cotangents[0], zero = b.real(0.0, g), mask;
  if (getValid()) {
    mask = validMask(b, type, getValid(), getBatchRows());
    g = b.select(mask, g, zero);
  }
  // n is written in two ways: a value with two readers would go through memory.
  Value normal = b.mul(b.sub(getX(), getMean()), getScale());
  Value again = b.mul(b.add(getX(), b.neg(getMean())), getScale());
  Value sum = b.reduceSum(g, dims), product = b.reduceSum(b.mul(g, normal), dims);
  Value inner = b.sub(b.sub(g, b.div(sum, getCount())), b.mul(again, b.div(product, getCount())));
  Value dx = b.mul(b.mul(getGamma(), getScale()), inner);
  if (mask)
    dx = b.select(mask, dx, zero);
  return {dx, Value(), Value(), product, sum, Value(), Value()};
}
