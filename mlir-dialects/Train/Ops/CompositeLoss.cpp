// Composite losses: types, verifiers, decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/LossReduction.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

LogicalResult ampc::inferRowLoss(std::optional<Location> loc, TypeRange operands, IntegerAttr dim,
                                 bool reduced, SmallVectorImpl<Type> &types) {
  RankedTensorType rows = inferRows(loc, operands.front(), dim);
  if (!rows)
    return failure();
  if (!llvm::all_equal(operands))
    return emitOptionalError(loc, "expected operands of one type, but got ", operands);
  types.push_back(reducedType(rows, reduced));
  return success();
}

// ---- Cross entropy with weights ----

LogicalResult WeightedCrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                       Adaptor a, SmallVectorImpl<Type> &types) {
  Type logits = a.getLogits().getType(), target = a.getTarget().getType(),
       weight = a.getWeight().getType();
  RankedTensorType rows = inferCrossEntropyRows(loc, logits, target, a.getProperties().dim);
  if (!rows)
    return failure();
  auto x = tensorOf(logits);
  auto expected = x.clone({x.getDimSize(dimensionAlong(x, a.getProperties().dim))});
  if (weight != expected)
    return emitOptionalError(loc, "expected a weight per class of type ", expected, ", but got ",
                             weight);
  types.push_back(reducedType(rows, reduces(a.getProperties().reduction)));
  return success();
}

LogicalResult WeightedCrossEntropyOp::verify() { return verifyCrossEntropy(*this); }

// Weighted distributions are targets with a sum other than 1. Weights of both signs cancel, so that
// products with 16-bit weights are not rounded to 16 bits. The mean passes no gradient to the
// weights.
SmallVector<Value> WeightedCrossEntropyOp::decompose(GradBuilder &b) {
  auto type = getLogits().getType();
  int64_t last = type.getRank() - 1;
  Type element = type.getElementType(), wide = accumulatorOf(element);
  Value weight = b.castTo(getWeight(), wide);
  Value hits =
      isSparse() ? b.op<OneHotOp>(type.clone(wide), getTarget()) : b.castTo(getTarget(), wide);
  Value target = b.mul(smoothed(b, hits, number(getSmoothing()), type.getShape().back()), weight);
  Value losses =
      b.op<SoftmaxCrossEntropyOp>(b.castTo(getLogits(), wide), target, Value(), Reduction::none,
                                  IntegerAttr(), APFloat(0.0), IntegerAttr());
  losses = b.castTo(losses, element);
  if (!isSparse())
    return reduceLoss(*this, b, losses);
  Value share = b.reduceSum(b.mul(hits, weight), last);
  if (Value counts = countedRows(b, getTarget(), getIgnore())) {
    losses = b.select(counts, losses, b.real(0.0, losses));
    share = b.select(counts, share, b.real(0.0, share));
  }
  return reduceLoss(*this, b, losses, share);
}

// ---- Focal loss ----

LogicalResult FocalOp::verify() {
  if (!(number(getGamma()) >= 0))
    return emitOpError() << "expected a gamma of at least 0, but got " << number(getGamma());
  if (auto alpha = getAlpha(); alpha && !(number(*alpha) >= 0 && number(*alpha) <= 1))
    return emitOpError() << "expected an alpha in [0, 1], but got " << number(*alpha);
  return verifyBatchRows(*this, getX().getType());
}

// 1 - p as a sum of small terms without cancellation: sigmoid(-x) t + sigmoid(x) (1 - t).
SmallVector<Value> FocalOp::decompose(GradBuilder &b) {
  Type element = getX().getType().getElementType(), wide = accumulatorOf(element);
  Value x = b.castTo(getX(), wide), t = b.castTo(getTarget(), wide), one = b.real(1.0, x);
  Value losses = b.op<BceWithLogitsOp>(x, t, Value(), Reduction::none, IntegerAttr());
  Value other = b.sub(one, t);
  if (double gamma = number(getGamma())) {
    Value wrong = b.add(b.mul(b.op<SigmoidOp>(b.neg(x)), t), b.mul(b.op<SigmoidOp>(x), other));
    // The derivative of a power below 1 is infinite at 0.
    wrong = b.op<MaximumOp>(wrong, b.real(1.2e-38, x));
    losses = b.mul(losses, b.op<PowOp>(wrong, b.real(gamma, x)));
  }
  if (auto alpha = getAlpha()) {
    Value hit = b.mul(b.real(number(*alpha), x), t);
    losses = b.mul(losses, b.add(hit, b.mul(b.real(1 - number(*alpha), x), other)));
  }
  return reduceLoss(*this, b, b.castTo(losses, element));
}

// ---- Losses of rows ----

static Value lengthOfRows(GradBuilder &b, Value x) {
  return b.sqrt(b.reduceSum(b.square(x), tensorOf(x).getRank() - 1));
}

LogicalResult CosineLossOp::verify() {
  if (!(number(getEps()) > 0))
    return emitOpError() << "expected a positive eps, but got " << number(getEps());
  return verifyRowsOfBatch(*this);
}

SmallVector<Value> CosineLossOp::decompose(GradBuilder &b) {
  Type element = getX().getType().getElementType(), wide = accumulatorOf(element);
  Value x = b.castTo(getX(), wide), t = b.castTo(getTarget(), wide);
  Value product = b.reduceSum(b.mul(x, t), tensorOf(x).getRank() - 1);
  Value lengths = b.mul(lengthOfRows(b, x), lengthOfRows(b, t));
  lengths = b.op<MaximumOp>(lengths, b.real(number(getEps()), lengths));
  Value losses = b.sub(b.real(1.0, product), b.div(product, lengths));
  return reduceLoss(*this, b, b.castTo(losses, element));
}

LogicalResult TripletOp::verify() { return verifyRowsOfBatch(*this); }

SmallVector<Value> TripletOp::decompose(GradBuilder &b) {
  Type element = getAnchor().getType().getElementType(), wide = accumulatorOf(element);
  Value anchor = b.castTo(getAnchor(), wide);
  auto distance = [&](Value x) {
    Value difference = b.sub(anchor, b.castTo(x, wide));
    return lengthOfRows(b, b.add(difference, b.real(1e-6, difference)));
  };
  Value slack = b.sub(distance(getPositive()), distance(getNegative()));
  Value losses = b.op<ReluOp>(b.add(slack, b.real(number(getMargin()), slack)));
  return reduceLoss(*this, b, b.castTo(losses, element));
}
