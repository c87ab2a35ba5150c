// Analyses of a program before a policy decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/PrecisionFacts.h"
#include "lib/Precision/Facts/NarrowTensors.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Signature.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace ampc;

// Order of the analyses: duplicable values and unrounded intermediates depend on the user
// constraints, and on contractions that must not round.
PrecisionFacts::PrecisionFacts(train::FuncOp func, Type low, const PolicyTable &table,
                               const StepProfile *profile, double scale)
    : DecidedProgram(func), low(low), groups(ops), treatments(ops, table),
      demands(*this, low, table), storageFree(*this, demands),
      magnifiedValues(*this, storageFree, treatments, demands),
      partial(*this, groups, treatments, demands, storageFree, table.keepsKernelsFull),
      findings(*this, low, profile, scale) {
  warnings = demandRanges(*this, demands);
  demandNarrowTensors(*this, low, groups, treatments, storageFree, magnifiedValues, demands,
                      partial);
  findings.demandFits(*this, treatments, demands);
}

void PrecisionFacts::forceMisfits() {
  auto force = [&](Operation *op, const std::string &why, StringRef rule) {
    if (isDecided(op) && !demands.isForced(op))
      demands.forceFull(op, why, rule);
  };
  for (auto &[value, why] : findings.all())
    if (Operation *op = value.getDefiningOp())
      force(op, why, "profile");
  for (auto &[value, why] : magnifiedValues.all())
    if (Operation *op = value.getDefiningOp(); op && treatment(op) != Treatment::Low)
      force(op, why.text, why.rule);
  for (Operation *op : ops)
    if (auto why = constantMisfit(op, lowOf(op)))
      force(op, *why, "range");
}
