// Updates of the tensors that follow the parameters of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/StepFollowers.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

Value ampc::buildAverage(GradBuilder &b, double keep, Value knob, Value old, Value now) {
  Value kept = knob ? knob : b.real(keep, old);
  Value share = knob ? b.sub(b.real(1.0, knob), knob) : b.real(1 - keep, old);
  return b.add(b.mul(kept, old), b.mul(share, now));
}

StepFollowers::StepFollowers(train::ModelOp model, train::StepOp step, StepKnobs &knobs,
                             train::FuncOp gradient)
    : model(model), knobs(knobs) {
  llvm::StringSet<> written;
  for (unsigned i = 0; i < gradient.getNumResults(); ++i)
    if (StringAttr state = Signature(gradient).stateResult(i))
      written.insert(state);
  for (auto follow : llvm::to_vector(model.getOps<train::FollowOp>())) {
    if (follow.getStep() != step.getSymName())
      continue;
    if (written.contains(follow.getTarget()))
      follow.erase();
    else
      follows.push_back(follow);
  }
}

RankedTensorType StepFollowers::typeOf(StringRef state) {
  return cast<RankedTensorType>(cast<StateOpInterface>(model.lookupSymbol(state)).getType());
}

void StepFollowers::warnOfLostChanges() {
  for (train::FollowOp follow : follows) {
    auto element = dyn_cast<FloatType>(typeOf(follow.getTarget()).getElementType());
    if (!follow.getDecayAttr() || !element || element.getWidth() > 16)
      continue;
    follow.emitWarning() << "@" << follow.getTarget() << " is " << element
                         << ", and loses changes of less than " << lostShareOf(element)
                         << " of an element: an average of parameters of f32 has none of this loss";
    return;
  }
}

/// The new value of a target before the interval is looked at.
static Value moved(GradBuilder &b, std::optional<double> decay, Value knob, Value old,
                   Value source) {
  Type element = getElementTypeOrSelf(old);
  if (!decay || !isa<FloatType>(element))
    return source;
  Value before = b.castTo(old, b.compute), now = b.castTo(source, b.compute);
  return b.castTo(buildAverage(b, *decay, knob, before, now), element);
}

Value StepFollowers::newValue(GradBuilder &b, SignatureChange &program, train::FollowOp follow,
                              Value old, Value source, Value next) {
  std::optional<double> decay;
  if (follow.getDecayAttr())
    decay = follow.getDecayAttr().getValueAsDouble();
  Value value = moved(b, decay, knobs.find(follow, b, program, "decay", b.compute), old, source);
  if (!follow.getEvery() || *follow.getEvery() == 1)
    return value;
  Value rest = b.op<train::ModOp>(next, b.real(double(*follow.getEvery()), next));
  return b.select(b.compare(train::ComparePredicate::eq, rest, b.real(0.0, rest)), value, old);
}

void StepFollowers::addResults(GradBuilder &b, SignatureChange &program,
                               const llvm::StringMap<Value> &updated, Value next) {
  Type before = b.compute;
  for (train::FollowOp follow : follows) {
    RankedTensorType type = typeOf(follow.getTarget());
    b.compute = typeOfRule(type).getElementType();
    Value source = updated.lookup(follow.getSource());
    if (!source)
      source = program.addState(follow.getSource(), type);
    Value old = program.addState(follow.getTarget(), type);
    program.addStateResult(newValue(b, program, follow, old, source, next), follow.getTarget());
  }
  b.compute = before;
}

void StepFollowers::erase() {
  for (train::FollowOp follow : follows)
    follow.erase();
}
