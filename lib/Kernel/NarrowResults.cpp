// Values that were widened before a kernel stored them are stored as they were.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Merge.h"
#include "ampc/Kernel/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELNARROWRESULTS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Gives the value the narrow type; its readers widen the elements.
static void narrow(Value value, Type type) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(type));
  for (OpOperand &use : value.getUses()) {
    if (auto view = dyn_cast<kernel::ViewOp>(use.getOwner())) {
      narrow(view.getResult(), type);
      continue;
    }
    auto reader = cast<FusedKernelOpInterface>(use.getOwner());
    Block &body = reader.getBody().front();
    BlockArgument argument = body.getArgument(reader.getNumLeadingArguments() + inputNumber(use));
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    Type wide = argument.getType();
    argument.setType(type);
    auto widened = arith::ExtFOp::create(builder, reader.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(widened, widened);
  }
}

/// The same elements twice: readers of the second take the first.
static bool shareResults(FusedKernelOpInterface op) {
  bool changed = false;
  OperandRange yields = op.getBody().front().getTerminator()->getOperands();
  for (unsigned j = 1; j < yields.size(); ++j)
    for (unsigned i = 0; i < j; ++i)
      if (yields[i] == yields[j] && !op->getResult(j).use_empty() &&
          op->getResult(i).getType() == op->getResult(j).getType() &&
          normalized(mapAt(op.getResultMaps(), i), op.getSpace()) ==
              normalized(mapAt(op.getResultMaps(), j), op.getSpace())) {
        op->getResult(j).replaceAllUsesWith(op->getResult(i));
        changed = true;
        break;
      }
  return changed;
}

static void dropDeadResults(FusedKernelOpInterface op) {
  Merge merge(op);
  AffineMap all = AffineMap::getMultiDimIdentityMap(op.getSpace().size(), op->getContext());
  for (auto [i, value] : llvm::enumerate(merge.append(op, all)))
    if (!op->getResult(i).use_empty())
      merge.addResult(value, op->getResult(i), mapAt(op.getResultMaps(), i));
  merge.finish(op, op.getLoc());
  op.erase();
}

static void narrowResults(FusedKernelOpInterface op) {
  if (isa<kernel::ReduceOp>(op)) // what its body yields is added up, not stored
    return;
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto widened = yield->getOperand(i).getDefiningOp<arith::ExtFOp>();
    if (!widened || !isReadByElement(result))
      continue;
    yield->setOperand(i, widened.getIn());
    narrow(result, widened.getIn().getType());
  }
  if (shareResults(op))
    dropDeadResults(op);
}

namespace {
struct KernelNarrowResults : ampc::impl::KernelNarrowResultsBase<KernelNarrowResults> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (Operation &op : llvm::make_early_inc_range(program.getBody().front()))
        if (auto fused = dyn_cast<FusedKernelOpInterface>(&op))
          narrowResults(fused);
  }
};
} // namespace
