// Verification of calls of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

ProgramOp CallOp::getProgram() {
  return SymbolTable::lookupNearestSymbolFrom<ProgramOp>(*this, getCalleeAttr());
}

bool CallOp::moves(unsigned operand) {
  ProgramOp program = getProgram();
  return getTimes() && program &&
         getInputs()[operand].getType() != program.getArgumentTypes()[operand];
}

/// Type of the concatenated slices of all runs: 4 runs of [8, 16] -> [4, 8, 16].
static Type gathered(CallOp op, Type slice) {
  auto type = cast<RankedTensorType>(slice);
  SmallVector<int64_t> shape{op.getRuns()};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

static LogicalResult verifyCallee(CallOp op, ProgramOp program) {
  if (!program || !program.is(train::Role::Part)) // 1.
    return op.emitOpError() << "expected a kernel.program of role part, but got "
                            << op.getCalleeAttr();
  Signature signature(program);
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto input = signature.argument<train::InputAttr>(i); !input || input.getPart() != 0) // 1.
      return op.emitOpError() << "expected " << op.getCalleeAttr()
                              << " to have inputs as arguments, but number " << i << " is none";
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (!signature.result<train::OutputAttr>(i)) // 1.
      return op.emitOpError() << "expected " << op.getCalleeAttr()
                              << " to have outputs as results, but number " << i << " is none";
  if (op.getInputs().size() != program.getNumArguments() ||
      op.getNumResults() != program.getNumResults()) // 2.
    return op.emitOpError() << "expected " << program.getNumArguments() << " operands and "
                            << program.getNumResults() << " results for " << op.getCalleeAttr()
                            << ", but got " << op.getInputs().size() << " and "
                            << op.getNumResults();
  return success();
}

static LogicalResult verifyCarried(CallOp op, ProgramOp program) {
  int64_t carried = op.getCarried();
  if (!op.getTimes() && (carried || op.getReverse())) // 6.
    return op.emitOpError() << "expected times beside carried and reverse";
  if (carried > std::min<int64_t>(program.getNumArguments(), program.getNumResults())) // 5.
    return op.emitOpError() << "expected at most as many carried values as operands and results, "
                               "but got "
                            << carried;
  for (int64_t i = 0; i < carried; ++i)
    if (program.getArgumentTypes()[i] != program.getResultTypes()[i] || op.moves(i)) // 5.
      return op.emitOpError() << "expected carried value " << i << " to be "
                              << program.getResultTypes()[i] << " as operand and argument, too";
  return success();
}

/// Whether `program` calls `wanted`, directly or through other programs.
static bool reaches(ProgramOp program, ProgramOp wanted, llvm::DenseSet<Operation *> &seen) {
  if (program == wanted)
    return true;
  if (!seen.insert(program).second)
    return false;
  return llvm::any_of(program.getBody().getOps<CallOp>(), [&](CallOp call) {
    ProgramOp next = call.getProgram();
    return next && reaches(next, wanted, seen);
  });
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &) {
  ProgramOp program = getProgram();
  if (failed(verifyCallee(*this, program)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(getInputs().getTypes())) {
    Type type = program.getArgumentTypes()[i];
    if (operand != type && !(getTimes() && operand == gathered(*this, type))) // 3.
      return emitOpError() << "expected operand " << i << " to be " << type
                           << (getTimes() ? " or a stack of rows, one per run" : "") << ", but got "
                           << operand;
  }
  if (failed(verifyCarried(*this, program)))
    return failure();
  for (auto [i, result] : llvm::enumerate(getResultTypes())) {
    Type type = program.getResultTypes()[i];
    Type expected = gathers(i) ? gathered(*this, type) : type;
    if (result != expected) // 4.
      return emitOpError() << "expected result " << i << " to be " << expected << ", but got "
                           << result;
  }
  llvm::DenseSet<Operation *> seen;
  auto caller = (*this)->getParentOfType<ProgramOp>();
  if (caller && reaches(program, caller, seen)) // 7.
    return emitOpError() << "expected programs that do not call themselves, but " << getCalleeAttr()
                         << " leads back";
  return success();
}
