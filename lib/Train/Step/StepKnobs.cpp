// Knobs of a step: current values in its programs, and schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Step/StepKnobs.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"

using namespace mlir;
using namespace ampc;

LogicalResult StepKnobs::verify() {
  auto knobs = step->getAttrOfType<DictionaryAttr>(knobsKey);
  for (NamedAttribute each : knobs ? knobs.getValue() : ArrayRef<NamedAttribute>()) {
    StringRef path = each.getName().getValue();
    auto name = cast<FlatSymbolRefAttr>(each.getValue());
    auto [list, rest] = path.split('.');
    SmallVector<train::GroupAttr> groups = step.getEachGroup();
    size_t group = 0;
    if (list == "groups" &&
        (rest.split('.').first.getAsInteger(10, group) || group >= groups.size()))
      return step.emitOpError() << "expected a group of the " << groups.size() << " of the step as "
                                << path << " of the knob " << name;
    if (!model.lookupSymbol<train::KnobOp>(name.getAttr()))
      return step.emitOpError() << "expected a knob as " << path << ", but " << name << " is none";
    auto schedule = step.getSchedule().value_or(ScheduleAttrInterface());
    if (list == "groups" && groups[group].getSchedule())
      schedule = groups[group].getSchedule();
    bool setsMomentum = schedule && schedule.hasMomentum();
    if (setsMomentum && (path.ends_with(".momentum") || path.ends_with(".beta1")))
      return step.emitOpError() << "expected one source of " << path << ", but got " << name
                                << " and " << schedule;
  }
  return success();
}

SmallVector<train::KnobOp> StepKnobs::scheduled() {
  auto knobs = llvm::make_filter_range(model.getOps<train::KnobOp>(), [&](train::KnobOp knob) {
    return knob.getSchedule() && knob.getStep() == step.getSymName();
  });
  return SmallVector<train::KnobOp>(knobs.begin(), knobs.end());
}

/// First value times the factor of the schedule, limited to the range.
Value StepKnobs::scheduledValue(GradBuilder &b, SignatureChange &program, train::KnobOp knob) {
  Type before = std::exchange(b.compute, getElementTypeOrSelf(knob.getType()));
  Value past = program.addState((step.getSymName() + ".step").str(),
                                RankedTensorType::get({}, b.builder.getI64Type()));
  Value next = b.castTo(b.add(past, b.real(1.0, past)), b.compute);
  Value first = b.real(knob.getInit().getInitializer().a, b.compute);
  Value value = b.mul(first, knob.getSchedule()->buildFactor(b, next));
  std::vector<double> range = rangeOf(knob);
  Value low = b.real(range[0], value), high = b.real(range[1], value);
  value = b.select(b.greater(low, value), low, value);
  value = b.select(b.greater(value, high), high, value);
  b.compute = before;
  return value;
}

void StepKnobs::applySchedules(train::FuncOp gradient) {
  for (train::KnobOp knob : scheduled()) {
    Value state = findStates(gradient).lookup(knob.getSymNameAttr());
    if (!state || state.use_empty())
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : state.getUses())
      uses.push_back(&use);
    SignatureChange program(gradient);
    OpBuilder start = OpBuilder::atBlockBegin(&gradient.getBody().front());
    StringAttr name = start.getStringAttr(step.getSymName() + ".update");
    GradBuilder b(start, knob.getLoc(), train::OriginAttr::get(name, train::Stage::Update));
    Value value = scheduledValue(b, program, knob);
    for (OpOperand *use : uses)
      use->set(value);
  }
}

Value StepKnobs::find(Operation *owner, GradBuilder &b, SignatureChange &program, StringRef path,
                      Type element) {
  FlatSymbolRefAttr name = knobOf(owner, path);
  if (!name)
    return {};
  auto knob = model.lookupSymbol<train::KnobOp>(name.getAttr());
  Value value = llvm::is_contained(scheduled(), knob)
                    ? scheduledValue(b, program, knob)
                    : Value(program.addState(name.getValue(), knob.getType()));
  return b.castTo(value, element);
}

Value StepKnobs::number(GradBuilder &b, SignatureChange &program, StringRef path, double own,
                        Type element) {
  Value knob = find(b, program, path, element);
  return knob ? knob : b.real(own, element);
}

void StepKnobs::addResults(GradBuilder &b, SignatureChange &program) {
  for (train::KnobOp knob : scheduled()) {
    program.addState(knob.getSymName(), knob.getType());
    program.addStateResult(scheduledValue(b, program, knob), knob.getSymName());
  }
}

void StepKnobs::removeSchedules() {
  for (train::KnobOp knob : scheduled()) {
    knob.removeScheduleAttr();
    knob.removeStepAttr();
  }
}
