// Composite norms: verifiers and decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/CompositeNorm.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

/// Dimensions in [first, end) except `without`.
static SmallVector<int64_t> dimsBetween(int64_t first, int64_t end, int64_t without = -1) {
  SmallVector<int64_t> dims;
  for (int64_t dim = first; dim < end; ++dim)
    if (dim != without)
      dims.push_back(dim);
  return dims;
}

/// A value per element of a dimension.
static LogicalResult verifyVector(Operation *op, RankedTensorType x, int64_t dim, Value vector) {
  if (failed(verifyDimension(op, x, dim)))
    return failure();
  auto expected = x.clone({x.getDimSize(dim)});
  if (vector.getType() != expected)
    return op->emitOpError() << "expected a value per element of dimension " << dim << " of type "
                             << expected << ", but got " << vector.getType();
  return success();
}

/// Widens to the accumulator: sums and their functions are computed in f32, or in f64 for f64.
static Value wide(GradBuilder &b, Value v) {
  return b.castTo(v, accumulatorOf(getElementTypeOrSelf(v)));
}
static Value narrow(GradBuilder &b, Value v, RankedTensorType type) {
  return b.castTo(v, type.getElementType());
}

// ---- Channels of a row ----

/// The first dimension has rows of their own.
template <typename Op> static LogicalResult verifyRowsOfChannels(Op op, int64_t least) {
  RankedTensorType x = op.getX().getType();
  if (x.getRank() < least)
    return op.emitOpError() << "expected at least " << least << " dimensions, but got " << x;
  if (op.getAlong() == 0)
    return op.emitOpError() << "expected channels along another dimension than the first of " << x;
  return failure(failed(verifyEps(op, op.getEps())) ||
                 failed(verifyChannels(op, x, {op.getGamma(), op.getBeta()}, op.getDim())));
}

/// Whether gain and bias, [channels], are common to all rows. A per-row operand, whose batch equals
/// the number of channels, would scale every row by values of all rows.
template <typename Op>
static bool hasChannelsOfAllRows(Op op, llvm::function_ref<bool(Value)> isBatched) {
  return !isBatched(op.getGamma()) && !isBatched(op.getBeta());
}

/// (x - mean) / sqrt(variance + eps), with statistics over `dims`.
static Value normalized(GradBuilder &b, Value x, ArrayRef<int64_t> dims, const APFloat &eps) {
  auto column = GradBuilder::withOnes(x.getType(), dims);
  auto mean = [&](Value v) { return b.reshape(b.op<ReduceMeanOp>(v, dims), column); };
  Value centred = b.sub(x, mean(x)), variance = mean(b.square(centred));
  return b.mul(centred, b.op<RsqrtOp>(b.add(variance, b.real(number(eps), variance))));
}

LogicalResult GroupNormOp::verify() {
  if (failed(verifyRowsOfChannels(*this, 2)))
    return failure();
  if (getGroups() < 1 || getAlongSize() % getGroups())
    return emitOpError() << "expected groups that " << getAlongSize()
                         << " channels are a multiple of, but got " << getGroups();
  return success();
}
bool GroupNormOp::keepsLeadingDimension(IsBatched isBatched) {
  return hasChannelsOfAllRows(*this, isBatched);
}
SmallVector<Value> GroupNormOp::decompose(GradBuilder &b) {
  RankedTensorType type = getX().getType();
  int64_t inner = 1;
  for (int64_t size : type.getShape().drop_front().drop_back())
    inner *= size;
  Value whole = wide(b, getX());
  Value x = b.reshape(whole, tensorOf(whole).clone({type.getDimSize(0), inner, getGroups(),
                                                    type.getShape().back() / getGroups()}));
  Value y = b.reshape(normalized(b, x, {1, 3}, getEps()), whole.getType());
  return {narrow(b, b.add(b.mul(y, wide(b, getGamma())), wide(b, getBeta())), type)};
}

LogicalResult InstanceNormOp::verify() { return verifyRowsOfChannels(*this, 3); }
bool InstanceNormOp::keepsLeadingDimension(IsBatched isBatched) {
  return hasChannelsOfAllRows(*this, isBatched);
}
SmallVector<Value> InstanceNormOp::decompose(GradBuilder &b) {
  Value y = normalized(b, wide(b, getX()), dimsBetween(1, getType().getRank() - 1), getEps());
  return {narrow(b, b.add(b.mul(y, wide(b, getGamma())), wide(b, getBeta())), getType())};
}

LogicalResult LrnOp::verify() {
  if (getSize() < 1 || getSize() > 64)
    return emitOpError() << "expected a size from 1 to 64, but got " << getSize();
  if (!(number(getBias()) > 0) || !(number(getAlpha()) >= 0))
    return emitOpError() << "expected a positive bias and an alpha of at least 0, but got "
                         << number(getBias()) << " and " << number(getAlpha());
  return success();
}
bool LrnOp::keepsLeadingDimension(IsBatched) { return getType().getRank() > 1; }
SmallVector<Value> LrnOp::decompose(GradBuilder &b) {
  ArrayRef<int64_t> shape = getType().getShape();
  SmallVector<int64_t> none(shape.size(), 0), low(none), high(none), ones(shape.size(), 1);
  low.back() = (getSize() - 1) / 2;
  high.back() = getSize() - 1 - low.back();
  Value x = wide(b, getX());
  Value padded = b.op<PadOp>(b.square(x), APFloat(0.0), low, high, none), sum;
  for (int64_t i = 0; i < getSize(); ++i) {
    none.back() = i;
    Value part = b.op<SliceOp>(padded, none, shape, ones);
    sum = sum ? b.add(sum, part) : part;
  }
  Value base = b.add(b.mul(sum, b.real(number(getAlpha()) / double(getSize()), sum)),
                     b.real(number(getBias()), sum));
  return {narrow(b, b.div(x, b.op<PowOp>(base, b.real(number(getBeta()), base))), getType())};
}

// ---- Lengths ----

LogicalResult NormalizeOp::verify() {
  if (failed(verifyDimension(*this, getX().getType(), getDim())) ||
      failed(verifyEps(*this, getEps())))
    return failure();
  if (number(getP()) != 1 && number(getP()) != 2)
    return emitOpError() << "expected p 1 or 2, but got " << number(getP());
  return success();
}
bool NormalizeOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
SmallVector<Value> NormalizeOp::decompose(GradBuilder &b) {
  SmallVector<int64_t> dims{int64_t(getDim())};
  Value x = wide(b, getX());
  Value length = number(getP()) == 1 ? b.op<ReduceL1Op>(x, dims) : b.op<ReduceL2Op>(x, dims);
  length = b.reshape(length, GradBuilder::withOnes(x.getType(), dims));
  Value y = b.div(x, b.op<MaximumOp>(length, b.real(number(getEps()), length)));
  return {narrow(b, y, getType())};
}

LogicalResult WeightNormOp::verify() {
  return verifyVector(*this, getX().getType(), getDim(), getG());
}
bool WeightNormOp::keepsLeadingDimension(IsBatched isBatched) {
  return getDim() == 0 && isBatched(getX());
}
SmallVector<Value> WeightNormOp::decompose(GradBuilder &b) {
  SmallVector<int64_t> others = dimsBetween(0, getType().getRank(), getDim());
  Value x = wide(b, getX()), scale = b.div(wide(b, getG()), b.op<ReduceL2Op>(x, others));
  Value y = b.mul(x, b.reshape(scale, GradBuilder::withOnes(x.getType(), others)));
  return {narrow(b, y, getType())};
}

LogicalResult SpectralNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor a,
                                               SmallVectorImpl<Type> &types) {
  types.append({a.getX().getType(), a.getU().getType()});
  return success();
}
LogicalResult SpectralNormOp::verify() {
  if (failed(verifyVector(*this, getX().getType(), getDim(), getU())) ||
      failed(verifyEps(*this, getEps())))
    return failure();
  if (getIterations() < 0 || getIterations() > 100)
    return emitOpError() << "expected 0 to 100 iterations, but got " << getIterations();
  return success();
}
bool SpectralNormOp::keepsLeadingDimension(IsBatched) { return false; }

// Sums of products in place of matrix products: x is read once, and stays in full precision.
SmallVector<Value> SpectralNormOp::decompose(GradBuilder &b) {
  Value whole = wide(b, getX());
  RankedTensorType type = tensorOf(whole);
  SmallVector<int64_t> others = dimsBetween(0, type.getRank(), getDim()), row{int64_t(getDim())};
  auto column = GradBuilder::withOnes(type, others), line = GradBuilder::withOnes(type, row);
  auto unit = [&](Value v) {
    Value length = b.sqrt(b.reduceSum(b.square(v), dimsBetween(0, type.getRank())));
    return b.div(v, b.op<MaximumOp>(length, b.real(number(getEps()), length)));
  };
  Value x = b.op<StopGradientOp>(whole);
  Value u = b.reshape(b.op<StopGradientOp>(wide(b, getU())), column);
  auto rowOf = [&](Value u) { return unit(b.reshape(b.reduceSum(b.mul(x, u), row), line)); };
  Value v = getIterations() ? Value() : rowOf(u);
  for (int64_t i = 0; i < getIterations(); ++i) {
    v = rowOf(u);
    u = unit(b.reshape(b.reduceSum(b.mul(x, v), others), column));
  }
  Value sigma = b.reduceSum(b.mul(b.mul(whole, v), u), dimsBetween(0, type.getRank()));
  return {narrow(b, b.div(whole, sigma), getX().getType()),
          narrow(b, b.reshape(u, type.clone(getU().getType().getShape())), getU().getType())};
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/CompositeNormOps.cpp.inc"

void ampc::registerCompositeNormOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<GroupNormOp, InstanceNormOp, LrnOp, NormalizeOp, WeightNormOp,
                          SpectralNormOp>(*dialect);
  });
}
