// Numbers with which initialisers, optimizers and schedules make sense.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

using EmitError = function_ref<InFlightDiagnostic()>;

namespace {
struct Named {
  StringRef name;
  const APFloat &value;
};
} // namespace

static double number(const APFloat &x) { return x.convertToDouble(); }

static LogicalResult verifyFinite(EmitError emitError, ArrayRef<Named> numbers) {
  for (const Named &n : numbers)
    if (!n.value.isFinite())
      return emitError() << "expected a finite " << n.name << ", but got " << number(n.value);
  return success();
}
static LogicalResult verifyNotNegative(EmitError emitError, ArrayRef<Named> numbers) {
  for (const Named &n : numbers)
    if (!n.value.isFinite() || number(n.value) < 0)
      return emitError() << "expected a finite " << n.name << " of at least 0, but got "
                         << number(n.value);
  return success();
}
/// A moment that keeps all of its old value never corrects its bias.
static LogicalResult verifyDecayRates(EmitError emitError, ArrayRef<Named> numbers) {
  for (const Named &n : numbers)
    if (!(number(n.value) >= 0 && number(n.value) < 1))
      return emitError() << "expected " << n.name << " in [0, 1), but got " << number(n.value);
  return success();
}
static LogicalResult verifyMoments(EmitError emitError, Type type) {
  if (type && !type.isBF16() && !type.isF32())
    return emitError() << "expected moments in bf16 or f32, but got " << type;
  return success();
}

//===--- Initialisers
//--------------------------------------------------------------------------===//

LogicalResult UniformAttr::verify(EmitError emitError, APFloat low, APFloat high) {
  if (failed(verifyFinite(emitError, {{"low", low}, {"high", high}})))
    return failure();
  if (number(low) > number(high))
    return emitError() << "expected low <= high, but got " << number(low) << " and "
                       << number(high);
  return success();
}
LogicalResult NormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  if (failed(verifyFinite(emitError, {{"mean", mean}})))
    return failure();
  return verifyNotNegative(emitError, {{"std", std}});
}
LogicalResult TruncatedNormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  return NormalAttr::verify(emitError, mean, std);
}

//===--- Optimizers
//----------------------------------------------------------------------------===//

LogicalResult SgdAttr::verify(EmitError emitError, APFloat lr, APFloat momentum,
                              APFloat weightDecay, bool nesterov, Type moments) {
  if (failed(verifyNotNegative(
          emitError, {{"lr", lr}, {"momentum", momentum}, {"weight_decay", weightDecay}})))
    return failure();
  if (nesterov && momentum.isZero())
    return emitError() << "expected a momentum above 0 with nesterov, but got 0";
  return verifyMoments(emitError, moments);
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
LogicalResult AdamWAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                                APFloat eps, APFloat weightDecay, bool, Type moments) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, moments);
}
LogicalResult LambAttr::verify(EmitError emitError, APFloat lr, APFloat beta1, APFloat beta2,
                               APFloat eps, APFloat weightDecay) {
  return verifyAdam(emitError, lr, beta1, beta2, eps, weightDecay, Type());
}
LogicalResult AdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps, APFloat accumulator,
                                  APFloat weightDecay) {
  return verifyNotNegative(emitError, {{"lr", lr},
                                       {"eps", eps},
                                       {"initial_accumulator", accumulator},
                                       {"weight_decay", weightDecay}});
}
LogicalResult RowwiseAdagradAttr::verify(EmitError emitError, APFloat lr, APFloat eps,
                                         APFloat accumulator, APFloat weightDecay) {
  return AdagradAttr::verify(emitError, lr, eps, accumulator, weightDecay);
}
LogicalResult RmspropAttr::verify(EmitError emitError, APFloat lr, APFloat alpha, APFloat eps,
                                  APFloat momentum, APFloat weightDecay) {
  if (failed(verifyDecayRates(emitError, {{"alpha", alpha}})))
    return failure();
  return verifyNotNegative(
      emitError, {{"lr", lr}, {"eps", eps}, {"momentum", momentum}, {"weight_decay", weightDecay}});
}

//===--- Schedules
//-----------------------------------------------------------------------------===//

LogicalResult LinearWarmupAttr::verify(EmitError emitError, int64_t warmup) {
  if (warmup < 0)
    return emitError() << "expected a warmup of at least 0 steps, but got " << warmup;
  return success();
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
LogicalResult StepDecayAttr::verify(EmitError emitError, int64_t every, APFloat gamma) {
  if (every < 1)
    return emitError() << "expected a decay after at least one step, but got every = " << every;
  if (!gamma.isFinite() || !(number(gamma) > 0))
    return emitError() << "expected a positive gamma, but got " << number(gamma);
  return success();
}
