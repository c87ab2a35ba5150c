// Optimizers: checks of parameters, and update rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Optimizer/UpdateRule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

LogicalResult ampc::verifyDecayRates(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!(number(n.value) >= 0 && number(n.value) < 1))
      return emitError() << "expected " << n.name << " in [0, 1), but got " << number(n.value);
    else if (float(number(n.value)) == 1)
      return emitError() << "expected " << n.name << " below 1 in f32, but got 1 - "
                         << 1 - number(n.value) << ", which is rounded to 1";
  return success();
}

LogicalResult ampc::verifyMoments(EmitError emitError, Type type) {
  if (type && !type.isBF16() && !type.isF32())
    return emitError() << "expected moments in bf16 or f32, but got " << type;
  return success();
}

LogicalResult SgdAttr::verify(EmitError emitError, APFloat lr, APFloat momentum,
                              APFloat weightDecay, bool nesterov, Type moments) {
  if (failed(verifyNotNegative(
          emitError, {{"lr", lr}, {"momentum", momentum}, {"weight_decay", weightDecay}})))
    return failure();
  if (nesterov && momentum.isZero())
    return emitError() << "expected a momentum above 0 with nesterov, but got 0";
  return verifyMoments(emitError, moments);
}

/// Rows to update: weight decay and momentum also change rows with gradient 0.
static RowUpdate touchedUnless(bool moves) { return moves ? RowUpdate::Every : RowUpdate::Touched; }

RowUpdate SgdAttr::getRowUpdate() const {
  return touchedUnless(!getMomentum().isZero() || !getWeightDecay().isZero());
}

SmallVector<Moment> SgdAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return number(getMomentum()) == 0.0 ? SmallVector<Moment>{} : momentsLike(param, {"momentum"});
}

SmallVector<Value> SgdAttr::buildUpdate(GradBuilder &b, Value param, Value grad, ValueRange moments,
                                        Value, Value lr, const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  Value g = rule.decayed(grad, param, rule.number("weight_decay", getWeightDecay()));
  if (moments.empty())
    return {b.sub(param, b.mul(lr, g))};
  Factor keep = rule.number("momentum", getMomentum());
  Value velocity = b.add(rule.scaled(keep, moments[0]), g);
  Value direction = getNesterov() ? b.add(g, rule.scaled(keep, velocity)) : velocity;
  return {b.sub(param, b.mul(lr, direction)), velocity};
}

static LogicalResult verifyAdam(EmitError emitError, const APFloat &lr, const APFloat &beta1,
                                const APFloat &beta2, const APFloat &eps,
                                const APFloat &weightDecay, Type moments) {
  if (failed(verifyNotNegative(emitError,
                               {{"lr", lr}, {"eps", eps}, {"weight_decay", weightDecay}})) ||
      failed(verifyDecayRates(emitError, {{"beta1", beta1}, {"beta2", beta2}})))
    return failure();
  return verifyMoments(emitError, moments);
}

LogicalResult AdamAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                               APFloat eps, APFloat weightDecay, bool, Type moments) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, moments);
}

// Without momentum, these rules have no state of that name.
StringRef SgdAttr::getMomentumName() const { return getMomentum().isZero() ? "" : "momentum"; }
StringRef RmspropAttr::getMomentumName() const { return getMomentum().isZero() ? "" : "momentum"; }

RowUpdate AdamAttr::getRowUpdate() const { return touchedUnless(!getLazy()); }
bool AdamAttr::isLazy() const { return getLazy(); }
SmallVector<Moment> AdamAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return momentsLike(param, {"m", "v"});
}

template <typename Attr> static AdamNumbers adamNumbers(Attr attr, const UpdateRule &rule) {
  return {rule.number("beta1", attr.getBeta1()), rule.number("beta2", attr.getBeta2()),
          rule.number("eps", attr.getEps())};
}

SmallVector<Value> AdamAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr,
                                         const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  SmallVector<Value> next{Value()};
  Value g = rule.decayed(grad, param, rule.number("weight_decay", getWeightDecay()));
  Value direction = rule.adam(adamNumbers(*this, rule), g, moments, step, next);
  next[0] = b.sub(param, b.mul(lr, direction));
  return next;
}

LogicalResult AdamWAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                                APFloat eps, APFloat weightDecay, bool, Type moments) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, moments);
}

RowUpdate AdamWAttr::getRowUpdate() const { return touchedUnless(!getLazy()); }
bool AdamWAttr::isLazy() const { return getLazy(); }
SmallVector<Moment> AdamWAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return momentsLike(param, {"m", "v"});
}

SmallVector<Value> AdamWAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                          ValueRange moments, Value step, Value lr,
                                          const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  SmallVector<Value> next{Value()};
  Value direction = rule.adam(adamNumbers(*this, rule), grad, moments, step, next);
  Value kept = rule.shrunk(param, lr, rule.number("weight_decay", getWeightDecay()));
  next[0] = b.sub(kept, b.mul(lr, direction));
  return next;
}

LogicalResult AdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps, APFloat accumulator,
                                  APFloat weightDecay) {
  return verifyNotNegative(emitError, {{"lr", lr},
                                       {"eps", eps},
                                       {"initial_accumulator", accumulator},
                                       {"weight_decay", weightDecay}});
}

SmallVector<Moment> AdagradAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return momentsLike(param, {"sum"});
}
double AdagradAttr::getInitialMoment() const { return number(getInitialAccumulator()); }

SmallVector<Value> AdagradAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                            ValueRange moments, Value, Value lr,
                                            const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  Value g = rule.decayed(grad, param, rule.number("weight_decay", getWeightDecay()));
  Value sum = b.add(moments[0], b.mul(g, g));
  return {b.sub(param, b.div(b.mul(lr, g),
                             b.add(b.sqrt(sum), rule.valueOf(rule.number("eps", getEps()))))),
          sum};
}

// A row with sum 0 and gradient 0 divides by eps, and keeps its value only with eps > 0.
RowUpdate AdagradAttr::getRowUpdate() const {
  return touchedUnless(!getWeightDecay().isZero() || getEps().isZero());
}

LogicalResult RowwiseAdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps,
                                         APFloat accumulator, APFloat weightDecay) {
  return AdagradAttr::verify(emitError, lr, eps, accumulator, weightDecay);
}

double RowwiseAdagradAttr::getInitialMoment() const { return number(getInitialAccumulator()); }

SmallVector<Moment> RowwiseAdagradAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  SmallVector<int64_t> shape(param.size(), 1);
  if (!param.empty())
    shape[0] = param[0];
  return {Moment{"sum", shape}};
}

RowUpdate RowwiseAdagradAttr::getRowUpdate() const {
  return touchedUnless(!getWeightDecay().isZero() || getEps().isZero());
}

SmallVector<Value> RowwiseAdagradAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                                   ValueRange moments, Value, Value lr,
                                                   const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  auto type = cast<RankedTensorType>(param.getType());
  Value g = rule.decayed(grad, param, rule.number("weight_decay", getWeightDecay())),
        mean = b.mul(g, g);
  if (type.getRank() > 1) {
    double width = double(type.getNumElements()) / type.getDimSize(0);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
    mean = b.div(b.reduceSum(mean, dims), rule.real(width));
  }
  Value sum = b.add(moments[0], b.reshape(mean, moments[0].getType()));
  Value root = b.add(b.sqrt(sum), rule.valueOf(rule.number("eps", getEps())));
  return {b.sub(param, b.div(b.mul(lr, g), root)), sum};
}

LogicalResult RmspropAttr::verify(EmitError emitError, APFloat lr, APFloat alpha, APFloat eps,
                                  APFloat momentum, APFloat weightDecay) {
  if (failed(verifyDecayRates(emitError, {{"alpha", alpha}})))
    return failure();
  return verifyNotNegative(
      emitError, {{"lr", lr}, {"eps", eps}, {"momentum", momentum}, {"weight_decay", weightDecay}});
}

SmallVector<Moment> RmspropAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return number(getMomentum()) == 0.0 ? momentsLike(param, {"v"})
                                      : momentsLike(param, {"v", "momentum"});
}

SmallVector<Value> RmspropAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                            ValueRange moments, Value, Value lr,
                                            const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  Value g = rule.decayed(grad, param, rule.number("weight_decay", getWeightDecay()));
  Value v = rule.blend(moments[0], b.mul(g, g), rule.number("alpha", getAlpha()));
  Value direction = b.div(g, b.add(b.sqrt(v), rule.valueOf(rule.number("eps", getEps()))));
  if (moments.size() == 1)
    return {b.sub(param, b.mul(lr, direction)), v};
  Factor keep = rule.number("momentum", getMomentum());
  Value velocity = b.add(rule.scaled(keep, moments[1]), direction);
  return {b.sub(param, b.mul(lr, velocity)), v, velocity};
}

LogicalResult LambAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                               APFloat eps, APFloat weightDecay) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, Type());
}

SmallVector<Moment> LambAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return momentsLike(param, {"m", "v"});
}

// The trust ratio is a quotient of norms of the whole tensor.
RowUpdate LambAttr::getRowUpdate() const { return RowUpdate::Whole; }

SmallVector<Value> LambAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr,
                                         const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  SmallVector<Value> next{Value()};
  Value direction = rule.decayed(rule.adam(adamNumbers(*this, rule), grad, moments, step, next),
                                 param, rule.number("weight_decay", getWeightDecay()));
  // The trust ratio is 1 where either norm is 0 (You et al. 2020, algorithm 2).
  Value weight = rule.norm(param), update = rule.norm(direction);
  Value zero = rule.real(0.0), one = rule.real(1.0);
  Value ratio = b.select(b.greater(weight, zero),
                         b.select(b.greater(update, zero), b.div(weight, update), one), one);
  next[0] = b.sub(param, b.mul(b.mul(lr, ratio), direction));
  return next;
}

LogicalResult LionAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                               APFloat weightDecay, Type moments) {
  if (failed(verifyNotNegative(emitError, {{"lr", lr}, {"weight_decay", weightDecay}})) ||
      failed(verifyDecayRates(emitError, {{"beta1", beta1}, {"beta2", beta2}})))
    return failure();
  return verifyMoments(emitError, moments);
}

SmallVector<Moment> LionAttr::getMomentsOf(ArrayRef<int64_t> param) const {
  return momentsLike(param, {"m"});
}

// Chen et al. 2023, algorithm 2.
SmallVector<Value> LionAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value, Value lr,
                                         const UpdateSettings &settings) const {
  UpdateRule rule{b, param, settings};
  Value direction = b.op<SignOp>(rule.blend(moments[0], grad, rule.number("beta1", getBeta1())));
  Value m = rule.blend(moments[0], grad, rule.number("beta2", getBeta2()));
  Value kept = rule.shrunk(param, lr, rule.number("weight_decay", getWeightDecay()));
  return {b.sub(kept, b.mul(lr, direction)), m};
}
