// Optimizers: the numbers they take, and their update rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

/// A moment that keeps all of its old value never corrects its bias.
static LogicalResult verifyDecayRates(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!(number(n.value) >= 0 && number(n.value) < 1))
      return emitError() << "expected " << n.name << " in [0, 1), but got " << number(n.value);
  return success();
}

static LogicalResult verifyMoments(EmitError emitError, Type type) {
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

/// A decay or a moment moves rows whose gradient is 0.
static RowUpdate touchedUnless(bool moves) { return moves ? RowUpdate::Every : RowUpdate::Touched; }

RowUpdate SgdAttr::getRowUpdate() const {
  return touchedUnless(!getMomentum().isZero() || !getWeightDecay().isZero());
}

SmallVector<StringRef> SgdAttr::getMomentNames() const {
  return number(getMomentum()) == 0.0 ? SmallVector<StringRef>{}
                                      : SmallVector<StringRef>{"momentum"};
}

namespace {
/// Update rules read like their papers: values with arithmetic, reals as literals.
struct Rule {
  GradBuilder &b;
  Value like;
  Value real(double x) { return b.real(x, like); }
  Value scaled(double factor, Value x) { return factor == 1.0 ? x : b.mul(real(factor), x); }
  /// keep * old + (1 - keep) * now
  Value blend(Value old, Value now, double keep) {
    return b.add(scaled(keep, old), scaled(1 - keep, now));
  }
  /// moment / (1 - beta^step), Kingma and Ba 2015, algorithm 1
  Value corrected(Value moment, double beta, Value step) {
    Value power = b.exp(b.mul(b.castTo(step, getElementTypeOrSelf(like)), real(std::log(beta))));
    return b.div(moment, b.sub(real(1.0), power));
  }
  /// Adds L2 regularisation to a gradient.
  Value decayed(Value grad, Value param, double decay) {
    return decay == 0.0 ? grad : b.add(grad, scaled(decay, param));
  }
};
} // namespace

SmallVector<Value> SgdAttr::buildUpdate(GradBuilder &b, Value param, Value grad, ValueRange moments,
                                        Value, Value lr) const {
  Rule rule{b, param};
  Value g = rule.decayed(grad, param, number(getWeightDecay()));
  if (moments.empty())
    return {b.sub(param, b.mul(lr, g))};
  Value velocity = b.add(rule.scaled(number(getMomentum()), moments[0]), g);
  Value direction =
      getNesterov() ? b.add(g, rule.scaled(number(getMomentum()), velocity)) : velocity;
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

RowUpdate AdamAttr::getRowUpdate() const { return touchedUnless(!getLazy()); }
bool AdamAttr::isLazy() const { return getLazy(); }
SmallVector<StringRef> AdamAttr::getMomentNames() const { return {"m", "v"}; }

/// The direction shared by Adam, AdamW and LAMB; appends the new moments.
template <typename Attr>
static Value adamDirection(Attr attr, Rule &rule, Value grad, ValueRange moments, Value step,
                           SmallVectorImpl<Value> &next) {
  GradBuilder &b = rule.b;
  double beta1 = number(attr.getBeta1()), beta2 = number(attr.getBeta2());
  Value m = rule.blend(moments[0], grad, beta1),
        v = rule.blend(moments[1], b.mul(grad, grad), beta2);
  next.append({m, v});
  return b.div(rule.corrected(m, beta1, step),
               b.add(b.sqrt(rule.corrected(v, beta2, step)), rule.real(number(attr.getEps()))));
}

SmallVector<Value> AdamAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr) const {
  Rule rule{b, param};
  SmallVector<Value> next{Value()};
  Value g = rule.decayed(grad, param, number(getWeightDecay()));
  Value direction = adamDirection(*this, rule, g, moments, step, next);
  next[0] = b.sub(param, b.mul(lr, direction));
  return next;
}

LogicalResult AdamWAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                                APFloat eps, APFloat weightDecay, bool, Type moments) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, moments);
}

RowUpdate AdamWAttr::getRowUpdate() const { return touchedUnless(!getLazy()); }
bool AdamWAttr::isLazy() const { return getLazy(); }
SmallVector<StringRef> AdamWAttr::getMomentNames() const { return {"m", "v"}; }

SmallVector<Value> AdamWAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                          ValueRange moments, Value step, Value lr) const {
  Rule rule{b, param};
  SmallVector<Value> next{Value()};
  Value direction = adamDirection(*this, rule, grad, moments, step, next);
  Value keep = b.sub(rule.real(1.0), rule.scaled(number(getWeightDecay()), lr));
  next[0] = b.sub(b.mul(param, keep), b.mul(lr, direction));
  return next;
}

LogicalResult AdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps, APFloat accumulator,
                                  APFloat weightDecay) {
  return verifyNotNegative(emitError, {{"lr", lr},
                                       {"eps", eps},
                                       {"initial_accumulator", accumulator},
                                       {"weight_decay", weightDecay}});
}

SmallVector<StringRef> AdagradAttr::getMomentNames() const { return {"sum"}; }
double AdagradAttr::getInitialMoment() const { return number(getInitialAccumulator()); }

SmallVector<Value> AdagradAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                            ValueRange moments, Value, Value lr) const {
  Rule rule{b, param};
  Value g = rule.decayed(grad, param, number(getWeightDecay()));
  Value sum = b.add(moments[0], b.mul(g, g));
  return {b.sub(param, b.div(b.mul(lr, g), b.add(b.sqrt(sum), rule.real(number(getEps()))))), sum};
}

// Where the sum is 0 a gradient of 0 divides by eps: only with one does a row keep its value.
RowUpdate AdagradAttr::getRowUpdate() const {
  return touchedUnless(!getWeightDecay().isZero() || getEps().isZero());
}

LogicalResult RowwiseAdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps,
                                         APFloat accumulator, APFloat weightDecay) {
  return AdagradAttr::verify(emitError, lr, eps, accumulator, weightDecay);
}

SmallVector<StringRef> RowwiseAdagradAttr::getMomentNames() const { return {"sum"}; }
double RowwiseAdagradAttr::getInitialMoment() const { return number(getInitialAccumulator()); }

SmallVector<int64_t> RowwiseAdagradAttr::getMomentShape(ArrayRef<int64_t> param) const {
  SmallVector<int64_t> shape(param.size(), 1);
  if (!param.empty())
    shape[0] = param[0];
  return shape;
}

RowUpdate RowwiseAdagradAttr::getRowUpdate() const {
  return touchedUnless(!getWeightDecay().isZero() || getEps().isZero());
}

SmallVector<Value> RowwiseAdagradAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                                   ValueRange moments, Value, Value lr) const {
  Rule rule{b, param};
  auto type = cast<RankedTensorType>(param.getType());
  Value g = rule.decayed(grad, param, number(getWeightDecay())), mean = b.mul(g, g);
  if (type.getRank() > 1) {
    double width = double(type.getNumElements()) / type.getDimSize(0);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
    mean = b.div(b.reduceSum(mean, dims), rule.real(width));
  }
  Value sum = b.add(moments[0], b.reshape(mean, moments[0].getType()));
  Value root = b.add(b.sqrt(sum), rule.real(number(getEps())));
  return {b.sub(param, b.div(b.mul(lr, g), root)), sum};
}

LogicalResult RmspropAttr::verify(EmitError emitError, APFloat lr, APFloat alpha, APFloat eps,
                                  APFloat momentum, APFloat weightDecay) {
  if (failed(verifyDecayRates(emitError, {{"alpha", alpha}})))
    return failure();
  return verifyNotNegative(
      emitError, {{"lr", lr}, {"eps", eps}, {"momentum", momentum}, {"weight_decay", weightDecay}});
}

SmallVector<StringRef> RmspropAttr::getMomentNames() const {
  return number(getMomentum()) == 0.0 ? SmallVector<StringRef>{"v"}
                                      : SmallVector<StringRef>{"v", "momentum"};
}

SmallVector<Value> RmspropAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                            ValueRange moments, Value, Value lr) const {
  Rule rule{b, param};
  Value g = rule.decayed(grad, param, number(getWeightDecay()));
  Value v = rule.blend(moments[0], b.mul(g, g), number(getAlpha()));
  Value direction = b.div(g, b.add(b.sqrt(v), rule.real(number(getEps()))));
  if (moments.size() == 1)
    return {b.sub(param, b.mul(lr, direction)), v};
  Value velocity = b.add(rule.scaled(number(getMomentum()), moments[1]), direction);
  return {b.sub(param, b.mul(lr, velocity)), v, velocity};
}

LogicalResult LambAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                               APFloat eps, APFloat weightDecay) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, Type());
}

SmallVector<StringRef> LambAttr::getMomentNames() const { return {"m", "v"}; }

// The trust ratio is a quotient of norms of the whole tensor.
RowUpdate LambAttr::getRowUpdate() const { return RowUpdate::Whole; }

SmallVector<Value> LambAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr) const {
  Rule rule{b, param};
  SmallVector<Value> next{Value()};
  Value direction = rule.decayed(adamDirection(*this, rule, grad, moments, step, next), param,
                                 number(getWeightDecay()));
  // The trust ratio is 1 where either norm is 0 (You et al. 2020, algorithm 2).
  auto norm = [&](Value x) {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
    return b.sqrt(dims.empty() ? b.square(x) : b.reduceSum(b.square(x), dims));
  };
  Value weight = norm(param), update = norm(direction), zero = rule.real(0.0), one = rule.real(1.0);
  Value ratio = b.select(b.greater(weight, zero),
                         b.select(b.greater(update, zero), b.div(weight, update), one), one);
  next[0] = b.sub(param, b.mul(b.mul(lr, ratio), direction));
  return next;
}
