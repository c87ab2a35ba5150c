// kernel.fused_reduction: the kernel, then fused reductions over the stored results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using namespace ampc::target;

/// Number of the kernel's result on whose elements a value of the body depends.
static std::optional<unsigned> resultOf(Value value, unsigned results) {
  std::optional<unsigned> found;
  SourceWalk().visit(value, [&](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!found && argument && argument.getArgNumber() < results)
      found = argument.getArgNumber();
    return !found;
  });
  return found;
}

static Value evaluate(LoopEmitter &e, Value value, IRMapping &known) {
  SourceWalk().visit(
      value, [&](Value source) { return !known.contains(source); },
      [&](Value source) {
        if (!known.contains(source))
          e.b.clone(*source.getDefiningOp(), known);
      });
  return known.lookup(value);
}

static void emitFusedReduction(Operation *operation, LoopEmitter &e,
                               const KernelPointers &pointers) {
  auto op = cast<kernel::FusedReductionOp>(operation);
  KernelOpInterface kernel = op.getKernel();
  KernelPointers own = pointers;
  own.operands.clear();
  for (Value operand : kernel->getOperands())
    own.operands.push_back(pointers.operands[cast<BlockArgument>(operand).getArgNumber()]);
  loweringOf(kernel)->emitLoops(kernel, e, own);

  unsigned results = kernel->getNumResults(), inputs = op.getLaunch().getNumArguments();
  IRMapping scalars;
  for (BlockArgument argument : op.getBody().getArguments().drop_front(results))
    scalars.map(argument,
                e.loadScalar(pointers.operands[inputs + argument.getArgNumber() - results],
                             argument.getType(), e.index(0)));
  for (auto [t, value] : llvm::enumerate(op.getBody().front().getTerminator()->getOperands())) {
    unsigned k = *resultOf(value, results);
    BlockArgument element = op.getBody().getArgument(k);
    auto next = [&, value = value](ArrayRef<Value> i, Value sum) {
      IRMapping known(scalars);
      known.map(element, e.loadScalar(pointers.results[k], element.getType(), i[0]));
      return target::combine(e, kernel::Combine::sum, sum, evaluate(e, value, known));
    };
    Value total = accumulate(e, {tensorOf(kernel->getResult(k)).getNumElements()},
                             e.constant(value.getType(), 0), next);
    e.storeScalar(total, pointers.results[results + t], e.index(0));
  }
}

void reference::addFusedReductionLowering(LoweringTable &table) {
  table[kernel::FusedReductionOp::getOperationName()] = {
      emitFusedReduction, [](Operation *operation) {
        Operation *kernel = cast<kernel::FusedReductionOp>(operation).getKernel();
        const ReferenceKernelLowering *lowering = loweringOf(kernel);
        return lowering ? lowering->scratchBytes(kernel) : int64_t(0);
      }};
}
