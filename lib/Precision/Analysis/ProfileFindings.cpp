// Values that do not fit 16 bits according to a profile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/ProfileFindings.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;

ProfileFindings::ProfileFindings(const DecidedProgram &program, Type low,
                                 const StepProfile *profile, double scale)
    : low(low), isGiven(profile) {
  if (!profile)
    return;
  const FloatFormat &format = *findFormat(low);
  DenseMap<Value, const ValueProfile *> known;
  for (const KeyedValue &keyed : keyValues(program.func))
    if (const ValueProfile *value = profile->find(keyed.key);
        value && program.isReal(keyed.value)) {
      known[keyed.value] = value;
      if (std::optional<std::string> why = profile->misfit(*value, format, scale))
        misfits[keyed.value] = *why;
    }
  for (Operation *op : program.ops)
    if (const ValueProfile *sum = mayCancel(op) ? known.lookup(op->getResult(0)) : nullptr)
      for (Value operand : op->getOperands())
        if (const ValueProfile *value = known.lookup(program.sourceOf(operand)))
          if (std::optional<std::string> why = profile->cancellation(*value, *sum, format))
            misfits.try_emplace(program.sourceOf(operand), *why);
  addCopies(program);
}

/// Copies at the boundaries of loops fit as their sources do. A carried value has the type of its
/// init, which therefore has to fit as well.
void ProfileFindings::addCopies(const DecidedProgram &program) {
  for (Value copy : program.copies.all())
    if (SmallVector<Value, 2> from = flowsFrom(copy); from.size() == 2)
      if (auto init = misfits.find(from[1]); init != misfits.end()) {
        std::string why = init->second; // the map grows
        misfits.try_emplace(program.sourceOf(copy), std::move(why));
      }
  for (Value copy : program.copies.all())
    if (auto source = misfits.find(program.sourceOf(copy)); source != misfits.end()) {
      std::string why = source->second;
      misfits.try_emplace(copy, std::move(why));
    }
}

void ProfileFindings::demandFits(const DecidedProgram &program, const Treatments &treatments,
                                 UserConstraints &constraints) const {
  for (Operation *op : program.ops)
    for (Value operand : op->getOperands())
      if (const std::string *why = misfit(operand); why && program.isDecided(op) &&
                                                    treatments.of(op) == Treatment::Low &&
                                                    !constraints.isForced(op))
        constraints.forceFull(op, "an operand does not fit " + textOf(low) + ": " + *why);
}
