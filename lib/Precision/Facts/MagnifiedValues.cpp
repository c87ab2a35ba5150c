// Values whose rounding would ruin what reads them, whatever the policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Facts/MagnifiedValues.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Origin.h"

using namespace mlir;
using namespace ampc;

/// Near a singularity, and where near numbers are subtracted on the way there, 16 bits may hold
/// none of the digits that count: 1 - sigmoid(x) is 0 in bf16 from x = 6 on, and its logarithm
/// infinite.
MagnifiedValues::MagnifiedValues(const DecidedProgram &program,
                                 const StorageFreeValues &storageFree) {
  DenseSet<Value> cancelled; // read by an op of which a small difference is left
  for (Operation *op : llvm::reverse(program.ops)) {
    if (!program.isDecided(op))
      continue;
    auto precision = cast<PrecisionOpInterface>(op);
    Value result = op->getResult(0);
    bool passes = isa<ScalarOpInterface>(op) && (precision.getCategory() == Category::Promote ||
                                                 precision.getCategory() == Category::Passthrough);
    for (OpOperand &operand : op->getOpOperands()) {
      Value v = operand.get();
      if (!program.isReal(v) || storageFree.contains(v) || !v.getDefiningOp())
        continue;
      Conditioning conditioning = precision.getConditioning(operand.getOperandNumber());
      if (conditioning == Conditioning::Singular)
        reasons.try_emplace(v, "rounded it may fall on a singularity of " +
                                   op->getName().getStringRef().str() + " at " + nameOf(op));
      const std::string *why = this->why(result);
      bool cancels = conditioning == Conditioning::Cancels;
      if (!why || !(cancels || movesElements(op) || (passes && cancelled.contains(result))))
        continue;
      reasons.try_emplace(v, std::string(*why)); // *why may move
      if (cancels || cancelled.contains(result))
        cancelled.insert(v);
    }
  }
}
