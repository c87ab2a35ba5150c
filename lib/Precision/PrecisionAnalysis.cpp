// Analyses of a program before a policy decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/PrecisionAnalysis.h"
#include "lib/Precision/Analysis/NarrowTensors.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace ampc;

// Order of the analyses: duplicable values and unrounded intermediates depend on the user
// constraints, and on contractions that must not round.
PrecisionAnalysis::PrecisionAnalysis(train::FuncOp func, Type low, const PolicyTable &table,
                                     const StepProfile *profile, double scale)
    : DecidedProgram(func), low(low), groups(ops), treatments(ops, table),
      constraints(*this, low, table), duplicable(*this, constraints),
      illConditionedValues(*this, duplicable, treatments, constraints),
      partial(*this, groups, treatments, constraints, duplicable, table.keepsKernelsFull),
      findings(*this, low, profile, scale) {
  warnings = constrainRanges(*this, constraints);
  constrainNarrowTensors(*this, low, groups, treatments, duplicable, illConditionedValues,
                         constraints, partial);
  findings.demandFits(*this, treatments, constraints);
}

void PrecisionAnalysis::forceMisfits() {
  auto force = [&](Operation *op, const std::string &why, StringRef rule) {
    if (isDecided(op) && !constraints.isForced(op))
      constraints.forceFull(op, why, rule);
  };
  for (auto &[value, why] : findings.all())
    if (Operation *op = value.getDefiningOp())
      force(op, why, "profile");
  for (auto &[value, why] : illConditionedValues.all())
    if (Operation *op = value.getDefiningOp(); op && treatment(op) != Treatment::Low)
      force(op, why.text, why.rule);
  for (Operation *op : ops)
    if (auto why = constantMisfit(op, lowOf(op)))
      force(op, *why, "range");
}
