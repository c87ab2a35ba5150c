// Alignment of tensors that are slices of other tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Slices.h"
#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

/// Alignment in bytes of contiguous slices of this type.
static int64_t alignmentOfSlices(Type slice) {
  int64_t bytes = kernel::byteSize(slice);
  return std::min(mostAligned, bytes & -bytes);
}

/// Visits the calls of a program; only outlined loop bodies have callers.
static void forCalls(kernel::ProgramOp program, llvm::function_ref<void(kernel::CallOp)> body) {
  if (!program.is(train::Role::Part))
    return;
  for (auto caller : program->getParentOfType<ModuleOp>().getOps<kernel::ProgramOp>())
    for (auto call : caller.getBody().getOps<kernel::CallOp>())
      if (call.getProgram() == program)
        body(call);
}

/// Whether an argument is a micro-batch. All slices of an input share code, so slice 0 counts as
/// unaligned, too.
static bool isMicroBatch(kernel::ProgramOp program, unsigned argument) {
  auto partAt = [&](unsigned i) {
    auto input = Signature(program).argument<train::InputAttr>(i);
    return input ? input.getPart() : 0;
  };
  return partAt(argument) > 0 ||
         (argument + 1 < program.getNumArguments() && partAt(argument + 1) == 1);
}

static int64_t alignmentOfArgument(kernel::ProgramOp program, BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  if (isMicroBatch(program, i) || Signature(program).argument<train::ControlAttr>(i))
    return alignmentOfSlices(argument.getType());
  int64_t least = mostAligned;
  forCalls(program, [&](kernel::CallOp call) {
    least = std::min(least, alignmentOf(call.getInputs()[i]));
    if (call.moves(i))
      least = std::min(least, alignmentOfSlices(argument.getType()));
    if (i < call.getCarried())
      least = std::min(least, alignmentOf(call.getResult(i)));
  });
  return least;
}

/// Alignment in bytes of the buffers that callers pass for result `i`.
static int64_t alignmentOfResult(kernel::ProgramOp program, unsigned i) {
  int64_t least = mostAligned;
  forCalls(program, [&](kernel::CallOp call) {
    least = std::min(least, alignmentOf(call.getResult(i)));
    if (call.gathers(i))
      least = std::min(least, alignmentOfSlices(program.getResultTypes()[i]));
  });
  return least;
}

/// Results of the program whose buffer a value may be written to; the value may have other users.
static void findResults(Value value, SmallVector<unsigned> &results) {
  for (OpOperand &use : value.getUses()) {
    if (isa<kernel::ReturnOp>(use.getOwner()))
      results.push_back(use.getOperandNumber());
    else if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner()))
      findResults(view.getResult(), results);
  }
}

int64_t target::alignmentOf(Value tensor) {
  tensor = kernel::throughViews(tensor);
  Operation *parent = tensor.getParentBlock()->getParentOp();
  if (auto reductions =
          dyn_cast<kernel::FusedReductionOp>(parent)) { // argument of the kernel inside
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return alignmentOf(reductions.getInputs()[argument.getArgNumber()]);
    return alignmentOf(reductions->getResult(cast<OpResult>(tensor).getResultNumber()));
  }
  auto program = dyn_cast<kernel::ProgramOp>(parent);
  if (!program)
    return mostAligned;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return alignmentOfArgument(program, argument);
  SmallVector<unsigned> results;
  findResults(tensor, results);
  int64_t least = mostAligned;
  for (unsigned i : results)
    least = std::min(least, alignmentOfResult(program, i));
  return least;
}

bool target::isReturned(Value tensor) {
  if (auto reductions = dyn_cast<kernel::FusedReductionOp>(tensor.getParentBlock()->getParentOp()))
    tensor = reductions->getResult(cast<OpResult>(tensor).getResultNumber());
  SmallVector<unsigned> results;
  findResults(tensor, results);
  return !results.empty();
}

bool target::startsAligned(Value tensor, int64_t count) {
  int64_t bytes = count * elementBytes(getElementTypeOrSelf(tensor));
  return alignmentOf(tensor) >= std::min(mostAligned, bytes);
}
