// Values that do not fit 16 bits according to a profile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/ProfileFindings.h"
#include "lib/Precision/Values.h"

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
        if (const ValueProfile *value = known.lookup(operand))
          if (std::optional<std::string> why = profile->cancellation(*value, *sum, format))
            misfits.try_emplace(operand, *why);
}

void ProfileFindings::demandFits(const DecidedProgram &program, const Treatments &treatments,
                                 UserConstraints &constraints) const {
  for (Operation *op : program.ops)
    for (Value operand : op->getOperands())
      if (const std::string *why = misfit(operand); why && program.isDecided(op) &&
                                                    treatments.of(op) == Treatment::Low &&
                                                    !constraints.isForced(op))
        constraints.forceFull(op, "its operand does not fit " + textOf(low) + ": " + *why);
}
