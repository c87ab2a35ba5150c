// Losses: types, scalar code, adjoints, and how their reductions are written out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/LossReduction.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

LogicalResult OneHotOp::verify() {
  ArrayRef<int64_t> shape = getType().getShape();
  if (shape.empty() || shape.drop_back() != getLabel().getType().getShape())
    return emitOpError() << "expected the shape of " << getLabel().getType()
                         << " and a dimension of classes, but got " << getType();
  return success();
}

AffineMap OneHotOp::getOperandMap(unsigned) { return rowMap(getType().getRank(), getContext()); }

RankedTensorType ampc::inferCrossEntropyRows(std::optional<Location> loc, Type logits, Type target,
                                             IntegerAttr dim) {
  RankedTensorType rows = inferRows(loc, logits, dim);
  if (!rows)
    return {};
  auto y = tensorOf(target);
  bool classes = y && isa<IntegerType>(y.getElementType()) && !y.getElementType().isInteger(1);
  if (classes ? rows.getShape() == y.getShape() : logits == target)
    return rows;
  (void)emitOptionalError(loc, "expected one class, an integer, per row of ", logits,
                          " or a distribution of that type, but got ", target);
  return {};
}

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                      Adaptor a, SmallVectorImpl<Type> &types) {
  RankedTensorType rows = inferCrossEntropyRows(loc, a.getLogits().getType(),
                                                a.getTarget().getType(), a.getProperties().dim);
  if (!rows)
    return failure();
  types.push_back(reducedType(rows, reduces(a.getProperties().reduction)));
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::verify() { return verifyCrossEntropy(*this); }

SmallVector<int64_t> SoftmaxCrossEntropyOp::getSpace() {
  return llvm::to_vector(getLogits().getType().getShape());
}

AffineMap SoftmaxCrossEntropyOp::getOperandMap(unsigned i) {
  return i == 0 || !isSparse() ? broadcastMap(getLogits().getType(), getSpace()) : getResultMap(0);
}

AffineMap SoftmaxCrossEntropyOp::getResultMap(unsigned) {
  return rowMap(getLogits().getType().getRank(), getContext());
}

// log(sum(exp)) sum(t) - sum(t x) with the smoothed target; for a class the sum of targets is 1.
SmallVector<Value> SoftmaxCrossEntropyOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  double smoothing = number(getSmoothing()), classes = getLogits().getType().getShape().back();
  Value zero = b.real(0.0), m = b.rowMax(x[0]), shifted = b.sub(x[0], m);
  Value logSum = b.log(b.rowSum(b.exp(shifted)));
  Value hit =
      isSparse() ? b.select(b.equal(b.rowIndex(), x[1]), shifted, zero) : b.mul(x[1], shifted);
  Value total = isSparse() ? b.real(1.0) : b.rowSum(x[1]);
  Value picked = b.rowSum(hit);
  if (smoothing != 0.0) {
    picked = b.add(b.mul(b.real(1 - smoothing), picked),
                   b.mul(b.real(smoothing / classes), b.rowSum(shifted)));
    total = b.add(b.mul(b.real(1 - smoothing), total), b.real(smoothing));
  }
  Value loss = b.sub(b.mul(logSum, total), picked);
  if (auto ignore = getIgnore(); ignore && isSparse())
    loss = b.select(b.equal(x[1], b.integer(*ignore, x[1].getType())), zero, loss);
  return {loss};
}

// softmax * sum(t) - t per row; the sum is 1 for classes. Ignored rows get 0.
SmallVector<Value> SoftmaxCrossEntropyOp::buildAdjoints(GradBuilder &b,
                                                        ArrayRef<Value> cotangents) {
  auto type = getLogits().getType();
  double smoothing = number(getSmoothing());
  int64_t classes = type.getShape().back();
  Value g = b.columnOf(cotangents[0]), softmax = b.op<SoftmaxOp>(getLogits());
  if (isSparse()) {
    Value target = smoothed(b, b.op<OneHotOp>(type, getTarget()), smoothing, classes);
    if (auto ignore = getIgnore()) {
      Value label = b.columnOf(getTarget());
      g = b.select(b.compare(ComparePredicate::eq, label, b.real(double(*ignore), label)),
                   b.real(0.0, g), g);
    }
    return {b.mul(g, b.sub(softmax, target)), Value()};
  }
  Value target = smoothed(b, getTarget(), smoothing, classes);
  Value dlogits = b.mul(g, b.sub(b.mul(softmax, b.rowSum(target)), target));
  Value dtarget = b.mul(b.mul(g, b.real(smoothing - 1, g)), b.op<LogSoftmaxOp>(getLogits()));
  return {dlogits, dtarget};
}

bool SoftmaxCrossEntropyOp::isComposite() { return isReducedLoss(*this); }

SmallVector<Value> SoftmaxCrossEntropyOp::decompose(GradBuilder &b) {
  Value losses = b.op<SoftmaxCrossEntropyOp>(getLogits(), getTarget(), Value(), Reduction::none,
                                             getIgnoreAttr(), getSmoothing(), IntegerAttr());
  return reduceLoss(*this, b, losses,
                    isSparse() ? countedRows(b, getTarget(), getIgnore()) : Value());
}

LogicalResult ampc::inferElementLoss(std::optional<Location> loc, Type x, Type target, bool reduced,
                                     SmallVectorImpl<Type> &types) {
  if (!tensorOf(x) || x != target)
    return emitOptionalError(loc, "expected a target of type ", x, ", but got ", target);
  types.push_back(reduced ? tensorOf(x).clone(ArrayRef<int64_t>()) : x);
  return success();
}

// Adjoint sigmoid(x) - t, and for t > 1/2 the negative with -x and 1 - t: for a confident row, one
// of the two expressions is a small difference of large numbers.
SmallVector<Value> BceWithLogitsOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], x = getX(), t = getTarget(), flips = b.greater(t, b.real(0.5, t));
  Value towards = b.op<SigmoidOp>(b.select(flips, b.neg(x), x));
  Value difference = b.sub(towards, b.select(flips, b.sub(b.real(1.0, t), t), t));
  return {b.mul(g, b.select(flips, b.neg(difference), difference)), b.neg(b.mul(g, x))};
}

template <typename Op> static SmallVector<Value> decomposeElementLoss(Op op, GradBuilder &b) {
  return reduceLoss(op, b,
                    b.op<Op>(op.getX(), op.getTarget(), Value(), Reduction::none, IntegerAttr()));
}
/// Losses without attributes of their own.
#define ELEMENT_LOSS(OP)                                                                           \
  LogicalResult OP::verify() { return verifyBatchRows(*this, getX().getType()); }                  \
  bool OP::isComposite() { return isReducedLoss(*this); }                                          \
  SmallVector<Value> OP::decompose(GradBuilder &b) { return decomposeElementLoss(*this, b); }
ELEMENT_LOSS(BceWithLogitsOp)
ELEMENT_LOSS(MseOp)
ELEMENT_LOSS(L1Op)
ELEMENT_LOSS(KlDivOp)
ELEMENT_LOSS(HingeOp)
ELEMENT_LOSS(PoissonNllOp)
#undef ELEMENT_LOSS

LogicalResult SmoothL1Op::verify() {
  if (!(number(getBeta()) > 0))
    return emitOpError() << "expected a positive beta, but got " << number(getBeta());
  return verifyBatchRows(*this, getX().getType());
}

bool SmoothL1Op::isComposite() { return isReducedLoss(*this); }

SmallVector<Value> SmoothL1Op::decompose(GradBuilder &b) {
  return reduceLoss(
      *this, b,
      b.op<SmoothL1Op>(getX(), getTarget(), Value(), Reduction::none, getBeta(), IntegerAttr()));
}

LogicalResult HuberOp::verify() {
  if (!(number(getDelta()) > 0))
    return emitOpError() << "expected a positive delta, but got " << number(getDelta());
  return verifyBatchRows(*this, getX().getType());
}

bool HuberOp::isComposite() { return isReducedLoss(*this); }

SmallVector<Value> HuberOp::decompose(GradBuilder &b) {
  return reduceLoss(
      *this, b,
      b.op<HuberOp>(getX(), getTarget(), Value(), Reduction::none, getDelta(), IntegerAttr()));
}

LogicalResult NllOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType rows = inferRows(loc, a.getX().getType(), a.getProperties().dim);
  if (!rows)
    return failure();
  auto label = tensorOf(a.getLabel().getType());
  if (!label || rows.getShape() != label.getShape())
    return emitOptionalError(loc, "expected one i32 class per row of ", a.getX().getType(),
                             ", but got ", a.getLabel().getType());
  types.push_back(reducedType(rows, reduces(a.getProperties().reduction)));
  return success();
}

LogicalResult NllOp::verify() { return verifyRowsOfBatch(*this); }

SmallVector<int64_t> NllOp::getSpace() { return llvm::to_vector(getX().getType().getShape()); }

AffineMap NllOp::getOperandMap(unsigned i) {
  return i == 0 ? broadcastMap(getX().getType(), getSpace()) : getResultMap(0);
}

AffineMap NllOp::getResultMap(unsigned) { return rowMap(getX().getType().getRank(), getContext()); }

SmallVector<Value> NllOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  Value zero = b.real(0.0);
  Value loss = b.neg(b.rowSum(b.select(b.equal(b.rowIndex(), x[1]), x[0], zero)));
  if (auto ignore = getIgnore())
    loss = b.select(b.equal(x[1], b.integer(*ignore, x[1].getType())), zero, loss);
  return {loss};
}

SmallVector<Value> NllOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = b.columnOf(b.neg(cotangents[0])), zero = b.real(0.0, g);
  if (auto ignore = getIgnore()) {
    Value label = b.columnOf(getLabel());
    g = b.select(b.compare(ComparePredicate::eq, label, b.real(double(*ignore), label)), zero, g);
  }
  return {b.mul(g, b.op<OneHotOp>(getX().getType(), getLabel())), Value()};
}

bool NllOp::isComposite() { return isReducedLoss(*this); }

SmallVector<Value> NllOp::decompose(GradBuilder &b) {
  Value losses =
      b.op<NllOp>(getX(), getLabel(), Value(), Reduction::none, getIgnoreAttr(), IntegerAttr());
  return reduceLoss(*this, b, losses, countedRows(b, getLabel(), getIgnore()));
}
