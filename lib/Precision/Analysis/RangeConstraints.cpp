// f32 constraints for ops whose numbers are known not to fit 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/RangeConstraints.h"
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

/// Ops that the user fixed to a type too narrow for a constant of the op compute in f32 after all.
static std::vector<LocatedWarning> widenMisfits(const DecidedProgram &program,
                                                UserConstraints &constraints) {
  std::vector<LocatedWarning> warnings;
  for (Operation *op : program.ops) {
    UserConstraint demand = constraints.lookup(op);
    if (!program.isDecided(op) || !demand.forced || !isa<FloatType>(demand.type) ||
        demand.type == program.f32)
      continue;
    auto misfit = constantMisfit(op, demand.type);
    if (!misfit)
      continue;
    warnings.push_back({op->getLoc(), nameOf(op) + ": expected '" + textOf(demand.type) +
                                          "' to hold the op's numbers, but " + *misfit +
                                          ": the op computes in f32"});
    constraints.forceFull(op, *misfit + ", although " + demand.source, "range");
  }
  return warnings;
}

/// Contractions of an operand known not to fit compute in f32, because a contraction in 16 bits
/// would round the operand at entry.
static void widenContractions(const DecidedProgram &program, UserConstraints &constraints) {
  for (Operation *op : program.ops) {
    Type type = constraints.lowOf(op);
    if (!program.isDecided(op) || constraints.isForced(op) || type == program.f32 ||
        cast<PrecisionOpInterface>(op).getCategory() != Category::LowPrecision)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!program.isReal(operand.get()) ||
          cast<PrecisionOpInterface>(op).operandStaysFull(operand.getOperandNumber()))
        continue;
      auto misfit = constantMisfit(operand.get(), type);
      if (!misfit)
        misfit = rangeMisfit(operand.get(), type);
      if (misfit)
        constraints.forceFull(op, "an operand does not fit " + textOf(type) + ": " + *misfit,
                              "range");
    }
  }
}

std::vector<LocatedWarning> ampc::constrainRanges(const DecidedProgram &program,
                                                  UserConstraints &constraints) {
  std::vector<LocatedWarning> warnings = widenMisfits(program, constraints);
  widenContractions(program, constraints);
  return warnings;
}
