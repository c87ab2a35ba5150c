// Schedules: checks of parameters, and factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Optimizer/UpdateRule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

Value ConstantScheduleAttr::buildFactor(GradBuilder &b, Value step) const {
  return b.real(1.0, step);
}

LogicalResult LinearWarmupAttr::verify(EmitError emitError, int64_t warmup) {
  if (warmup < 0)
    return emitError() << "expected a warmup of at least 0 steps, but got " << warmup;
  return success();
}

/// min(step / warmup, 1)
static Value warmedUp(GradBuilder &b, Value step, int64_t warmup) {
  Value one = b.real(1.0, step);
  if (warmup <= 0)
    return one;
  Value ramp = b.div(step, b.real(double(warmup), step));
  return b.select(b.greater(one, ramp), ramp, one);
}

Value LinearWarmupAttr::buildFactor(GradBuilder &b, Value step) const {
  return warmedUp(b, step, getWarmup());
}

static LogicalResult verifySteps(EmitError emitError, int64_t steps, int64_t warmup) {
  if (steps < 1 || warmup < 0)
    return emitError() << "expected at least one step, and a warmup of at least 0, but got "
                       << steps << " and " << warmup;
  if (warmup > steps)
    return emitError() << "expected a warmup of at most the schedule's " << steps
                       << " steps, but got " << warmup;
  return success();
}

/// 0 up to the step `begin`, 1 from `span` steps later on, a line between.
static Value progress(GradBuilder &b, Value step, double begin, double span) {
  Value zero = b.real(0.0, step), one = b.real(1.0, step);
  Value t = b.div(b.sub(step, b.real(begin, step)), b.real(span, step));
  return b.select(b.greater(zero, t), zero, b.select(b.greater(t, one), one, t));
}
/// Progress in [0, 1] of the steps after warm-up.
static Value afterWarmup(GradBuilder &b, Value step, int64_t steps, int64_t warmup) {
  return progress(b, step, double(warmup), double(std::max<int64_t>(1, steps - warmup)));
}

LogicalResult CosineAttr::verify(EmitError emitError, int64_t steps, int64_t warmup,
                                 APFloat floor) {
  if (failed(verifySteps(emitError, steps, warmup)))
    return failure();
  return verifyNotNegative(emitError, {{"floor", floor}});
}

Value CosineAttr::buildFactor(GradBuilder &b, Value step) const {
  double floor = number(getFloor());
  Value t = afterWarmup(b, step, getSteps(), getWarmup()), one = b.real(1.0, step);
  Value wave = b.mul(b.real(0.5, step), b.add(one, b.cos(b.mul(b.real(M_PI, step), t))));
  Value decay = b.add(b.real(floor, step), b.mul(b.real(1.0 - floor, step), wave));
  return b.mul(warmedUp(b, step, getWarmup()), decay);
}

LogicalResult LinearAttr::verify(EmitError emitError, int64_t steps, int64_t warmup, APFloat start,
                                 APFloat end) {
  if (failed(verifySteps(emitError, steps, warmup)))
    return failure();
  return verifyNotNegative(emitError, {{"start", start}, {"end", end}});
}

Value LinearAttr::buildFactor(GradBuilder &b, Value step) const {
  double start = number(getStart()), end = number(getEnd());
  Value t = afterWarmup(b, step, getSteps(), getWarmup());
  Value line = b.add(b.real(start, step), b.mul(b.real(end - start, step), t));
  return b.mul(warmedUp(b, step, getWarmup()), line);
}

static LogicalResult verifyPositive(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!n.value.isFinite() || !(number(n.value) > 0))
      return emitError() << "expected a finite " << n.name << " above 0, but got "
                         << number(n.value);
  return success();
}

LogicalResult PolynomialAttr::verify(EmitError emitError, int64_t steps, int64_t warmup,
                                     APFloat power, APFloat floor) {
  if (failed(verifySteps(emitError, steps, warmup)) ||
      failed(verifyPositive(emitError, {{"power", power}})))
    return failure();
  return verifyNotNegative(emitError, {{"floor", floor}});
}

Value PolynomialAttr::buildFactor(GradBuilder &b, Value step) const {
  double power = number(getPower()), floor = number(getFloor());
  Value left = b.sub(b.real(1.0, step), afterWarmup(b, step, getSteps(), getWarmup()));
  if (power != 1.0)
    left = b.op<PowOp>(left, b.real(power, step));
  Value decay = b.add(b.real(floor, step), b.mul(b.real(1.0 - floor, step), left));
  return b.mul(warmedUp(b, step, getWarmup()), decay);
}

LogicalResult OneCycleAttr::verify(EmitError emitError, int64_t steps, APFloat pctStart,
                                   APFloat divFactor, APFloat finalDivFactor, APFloat baseMomentum,
                                   APFloat maxMomentum, bool, bool threePhase) {
  if (steps < 1)
    return emitError() << "expected at least one step, but got " << steps;
  if (!(number(pctStart) >= 0 && number(pctStart) <= (threePhase ? 0.5 : 1.0)))
    return emitError() << "expected pct_start in " << (threePhase ? "[0, 0.5]" : "[0, 1]")
                       << ", but got " << number(pctStart);
  if (failed(verifyDecayRates(emitError,
                              {{"base_momentum", baseMomentum}, {"max_momentum", maxMomentum}})))
    return failure();
  return verifyPositive(emitError,
                        {{"div_factor", divFactor}, {"final_div_factor", finalDivFactor}});
}

/// One cycle of a value: `first` at the first step, to `top`, back, and on to `last`.
static Value cycle(OneCycleAttr attr, GradBuilder &b, Value step, double first, double top,
                   double last) {
  double turn = number(attr.getPctStart()) * double(attr.getSteps());
  // End of every phase, a step that may be fractional, and the value there.
  SmallVector<std::pair<double, double>> ends{{1.0, first}, {turn, top}};
  if (attr.getThreePhase())
    ends.push_back({2 * turn - 1, first});
  ends.push_back({double(attr.getSteps()), last});
  Value value;
  for (size_t i = ends.size(); --i > 0;) {
    auto [begin, from] = ends[i - 1];
    auto [end, to] = ends[i];
    if (!(end > begin))
      continue;
    Value t = progress(b, step, begin, end - begin), one = b.real(1.0, step);
    if (!attr.getLinear())
      t = b.mul(b.real(0.5, step), b.sub(one, b.cos(b.mul(b.real(M_PI, step), t))));
    Value now = b.add(b.real(from, step), b.mul(b.real(to - from, step), t));
    value = value ? b.select(b.greater(step, b.real(end, step)), value, now) : now;
  }
  return value ? value : b.real(top, step); // a single step
}

Value OneCycleAttr::buildFactor(GradBuilder &b, Value step) const {
  double first = 1 / number(getDivFactor());
  return cycle(*this, b, step, first, 1.0, first / number(getFinalDivFactor()));
}

bool OneCycleAttr::hasMomentum() const { return !getMaxMomentum().isZero(); }

Value OneCycleAttr::buildMomentum(GradBuilder &b, Value step) const {
  double most = number(getMaxMomentum());
  return cycle(*this, b, step, most, number(getBaseMomentum()), most);
}

LogicalResult InverseSqrtAttr::verify(EmitError emitError, int64_t warmup) {
  if (warmup < 1)
    return emitError() << "expected a warmup of at least 1 step, but got " << warmup;
  return success();
}

Value InverseSqrtAttr::buildFactor(GradBuilder &b, Value step) const {
  Value share = b.div(step, b.real(double(getWarmup()), step)), one = b.real(1.0, step);
  return b.select(b.greater(one, share), share, b.div(one, b.sqrt(share)));
}

static LogicalResult verifyPositiveGamma(EmitError emitError, const APFloat &gamma) {
  if (!gamma.isFinite() || !(number(gamma) > 0))
    return emitError() << "expected a positive gamma, but got " << number(gamma);
  return success();
}

/// Checks step numbers that rise, from 1.
static LogicalResult verifyRising(EmitError emitError, ArrayRef<int64_t> at) {
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i] < 1 || (i > 0 && at[i] <= at[i - 1]))
      return emitError() << "expected rising step numbers from 1 on as at, but got [" << at << "]";
  return success();
}

LogicalResult MultiStepAttr::verify(EmitError emitError, ArrayRef<int64_t> at, APFloat gamma) {
  if (failed(verifyRising(emitError, at)))
    return failure();
  return verifyPositiveGamma(emitError, gamma);
}

/// The value of the last part that has begun: part i + 1 begins behind step at[i].
static Value lastBegun(GradBuilder &b, Value step, ArrayRef<int64_t> at,
                       llvm::function_ref<Value(size_t part)> build) {
  Value value = build(0);
  for (auto [i, end] : llvm::enumerate(at))
    value = b.select(b.greater(step, b.real(double(end), step)), build(i + 1), value);
  return value;
}

Value MultiStepAttr::buildFactor(GradBuilder &b, Value step) const {
  return lastBegun(b, step, getAt(), [&](size_t part) {
    return b.real(std::pow(number(getGamma()), double(part)), step);
  });
}

LogicalResult SequenceAttr::verify(EmitError emitError, ArrayAttr schedules, ArrayRef<int64_t> at) {
  if (!llvm::all_of(schedules, llvm::IsaPred<ScheduleAttrInterface>))
    return emitError() << "expected schedules, but got " << schedules;
  if (schedules.size() != at.size() + 1)
    return emitError() << "expected " << at.size() + 1 << " schedules for the " << at.size()
                       << " numbers of at, but got " << schedules.size();
  auto setsMomentum = [](ScheduleAttrInterface each) { return each.hasMomentum(); };
  auto each = schedules.getAsRange<ScheduleAttrInterface>();
  if (llvm::any_of(each, setsMomentum) && !llvm::all_of(each, setsMomentum))
    return emitError() << "expected schedules that all set the momentum, or none, but got "
                       << schedules;
  return verifyRising(emitError, at);
}

/// Number of a step in part `part` of a sequence, from 1.
static Value stepOfPart(GradBuilder &b, Value step, ArrayRef<int64_t> at, size_t part) {
  return part == 0 ? step : b.sub(step, b.real(double(at[part - 1]), step));
}

Value SequenceAttr::buildFactor(GradBuilder &b, Value step) const {
  return lastBegun(b, step, getAt(), [&](size_t part) {
    auto schedule = cast<ScheduleAttrInterface>(getSchedules()[part]);
    return schedule.buildFactor(b, stepOfPart(b, step, getAt(), part));
  });
}

bool SequenceAttr::hasMomentum() const {
  return cast<ScheduleAttrInterface>(getSchedules()[0]).hasMomentum();
}

Value SequenceAttr::buildMomentum(GradBuilder &b, Value step) const {
  return lastBegun(b, step, getAt(), [&](size_t part) {
    auto schedule = cast<ScheduleAttrInterface>(getSchedules()[part]);
    return schedule.buildMomentum(b, stepOfPart(b, step, getAt(), part));
  });
}

LogicalResult StepDecayAttr::verify(EmitError emitError, int64_t every, APFloat gamma) {
  if (every < 1)
    return emitError() << "expected a decay after at least one step, but got every = " << every;
  return verifyPositiveGamma(emitError, gamma);
}

Value StepDecayAttr::buildFactor(GradBuilder &b, Value step) const {
  Value done = b.floor(b.div(b.sub(step, b.real(1.0, step)), b.real(double(getEvery()), step)));
  return b.exp(b.mul(done, b.real(std::log(number(getGamma())), step)));
}
