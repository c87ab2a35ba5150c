// Initialisers, optimizers and schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

//===--- Initialisers
//--------------------------------------------------------------------------===//

namespace {
struct Fans {
  double in, out;
};
} // namespace

/// A matrix is [in, out]; a filter is OHWI; a vector feeds itself.
static Fans fansOf(ArrayRef<int64_t> shape) {
  if (shape.size() == 4) {
    double window = double(shape[1]) * double(shape[2]);
    return {window * shape[3], window * shape[0]};
  }
  if (shape.empty())
    return {1, 1};
  return {double(shape.front()), double(shape.back())};
}
static double number(const APFloat &x) { return x.convertToDouble(); }
static Initializer uniform(double bound) { return {Initializer::Uniform, -bound, bound}; }

Initializer ZerosAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, 0, 0};
}
Initializer OnesAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, 1, 0};
}
Initializer FillAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, number(getValue()), 0};
}
Initializer UniformAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Uniform, number(getLow()), number(getHigh())};
}
Initializer NormalAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Normal, number(getMean()), number(getStd())};
}
Initializer TruncatedNormalAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::TruncatedNormal, number(getMean()), number(getStd())};
}
Initializer XavierUniformAttr::getInitializer(ArrayRef<int64_t> shape) const {
  Fans fans = fansOf(shape);
  return uniform(std::sqrt(6.0 / (fans.in + fans.out)));
}
Initializer XavierNormalAttr::getInitializer(ArrayRef<int64_t> shape) const {
  Fans fans = fansOf(shape);
  return {Initializer::Normal, 0, std::sqrt(2.0 / (fans.in + fans.out))};
}
Initializer KaimingUniformAttr::getInitializer(ArrayRef<int64_t> shape) const {
  return uniform(std::sqrt(6.0 / fansOf(shape).in));
}
Initializer KaimingNormalAttr::getInitializer(ArrayRef<int64_t> shape) const {
  return {Initializer::Normal, 0, std::sqrt(2.0 / fansOf(shape).in)};
}

//===--- Optimizers
//----------------------------------------------------------------------------===//

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

/// A decay or a moment moves rows whose gradient is 0.
static RowUpdate touchedUnless(bool moves) { return moves ? RowUpdate::Every : RowUpdate::Touched; }

RowUpdate SgdAttr::getRowUpdate() const {
  return touchedUnless(!getMomentum().isZero() || !getWeightDecay().isZero());
}
SmallVector<StringRef> SgdAttr::getMomentNames() const {
  return number(getMomentum()) == 0.0 ? SmallVector<StringRef>{}
                                      : SmallVector<StringRef>{"momentum"};
}
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
RowUpdate AdamAttr::getRowUpdate() const { return touchedUnless(!getLazy()); }
bool AdamAttr::isLazy() const { return getLazy(); }
SmallVector<StringRef> AdamAttr::getMomentNames() const { return {"m", "v"}; }
SmallVector<Value> AdamAttr::buildUpdate(GradBuilder &b, Value param, Value grad,
                                         ValueRange moments, Value step, Value lr) const {
  Rule rule{b, param};
  SmallVector<Value> next{Value()};
  Value g = rule.decayed(grad, param, number(getWeightDecay()));
  Value direction = adamDirection(*this, rule, g, moments, step, next);
  next[0] = b.sub(param, b.mul(lr, direction));
  return next;
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

//===--- Schedules
//-----------------------------------------------------------------------------===//

/// min(step / warmup, 1)
static Value warmedUp(GradBuilder &b, Value step, int64_t warmup) {
  Value one = b.real(1.0, step);
  if (warmup <= 0)
    return one;
  Value ramp = b.div(step, b.real(double(warmup), step));
  return b.select(b.greater(one, ramp), ramp, one);
}
Value ConstantScheduleAttr::buildFactor(GradBuilder &b, Value step) const {
  return b.real(1.0, step);
}
Value LinearWarmupAttr::buildFactor(GradBuilder &b, Value step) const {
  return warmedUp(b, step, getWarmup());
}
Value CosineAttr::buildFactor(GradBuilder &b, Value step) const {
  double span = std::max<int64_t>(1, getSteps() - getWarmup()), floor = number(getFloor());
  Value zero = b.real(0.0, step), one = b.real(1.0, step);
  Value t = b.div(b.sub(step, b.real(double(getWarmup()), step)), b.real(span, step));
  t = b.select(b.greater(zero, t), zero, b.select(b.greater(t, one), one, t));
  Value wave = b.mul(b.real(0.5, step), b.add(one, b.cos(b.mul(b.real(M_PI, step), t))));
  Value decay = b.add(b.real(floor, step), b.mul(b.real(1.0 - floor, step), wave));
  return b.mul(warmedUp(b, step, getWarmup()), decay);
}
Value StepDecayAttr::buildFactor(GradBuilder &b, Value step) const {
  Value done = b.floor(b.div(b.sub(step, b.real(1.0, step)), b.real(double(getEvery()), step)));
  return b.exp(b.mul(done, b.real(std::log(number(getGamma())), step)));
}
