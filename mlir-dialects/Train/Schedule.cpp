// Schedules: the numbers they take, and their factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Numbers.h"

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

LogicalResult CosineAttr::verify(EmitError emitError, int64_t steps, int64_t warmup,
                                 APFloat floor) {
  if (steps < 1 || warmup < 0)
    return emitError() << "expected at least one step, and a warmup of at least 0, but got "
                       << steps << " and " << warmup;
  if (warmup > steps)
    return emitError() << "expected a warmup of at most the schedule's " << steps
                       << " steps, but got " << warmup;
  return verifyNotNegative(emitError, {{"floor", floor}});
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

LogicalResult StepDecayAttr::verify(EmitError emitError, int64_t every, APFloat gamma) {
  if (every < 1)
    return emitError() << "expected a decay after at least one step, but got every = " << every;
  if (!gamma.isFinite() || !(number(gamma) > 0))
    return emitError() << "expected a positive gamma, but got " << number(gamma);
  return success();
}

Value StepDecayAttr::buildFactor(GradBuilder &b, Value step) const {
  Value done = b.floor(b.div(b.sub(step, b.real(1.0, step)), b.real(double(getEvery()), step)));
  return b.exp(b.mul(done, b.real(std::log(number(getGamma())), step)));
}
