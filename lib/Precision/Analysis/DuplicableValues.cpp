// Duplicable values: available in every type at no cost of storage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/DuplicableValues.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;

// Rows gathered from a table are not duplicable: casting the whole table would cost more than the
// few rows save.
DuplicableValues::DuplicableValues(const DecidedProgram &program,
                                   const UserConstraints &constraints)
    : program(program) {
  train::FuncOp func = program.func;
  DenseSet<StringAttr> params;
  for (auto param : func->getParentOfType<train::ModelOp>().getOps<train::ParamOp>())
    params.insert(param.getSymNameAttr());
  for (BlockArgument argument : func.getArguments())
    if (StringAttr state = Signature(func).stateArgument(argument.getArgNumber()))
      if (program.isReal(argument) && params.contains(state))
        values.insert(argument);
  for (Operation *op : program.ops) {
    if (op->hasTrait<OpTrait::ConstantLike>()) {
      if (program.isReal(op->getResult(0)))
        values.insert(op->getResult(0));
      continue;
    }
    auto precision = dyn_cast<PrecisionOpInterface>(op);
    if (!program.isDecided(op) || precision.getCategory() != Category::Passthrough ||
        op->getNumResults() != 1 || op->getNumOperands() != 1 || constraints.isForced(op) ||
        !contains(op->getOperand(0)))
      continue;
    auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
         to = cast<RankedTensorType>(op->getResult(0).getType());
    if (from.getElementType() == to.getElementType() && movesOnly(op))
      values.insert(op->getResult(0));
  }
}
