// Random state of ops in loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/LoopRandomState.h"
#include "lib/Train/Model/LowerMode.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

namespace {
/// States by block: of the function as read, of a loop for the row of the round.
class LoopStates {
public:
  LoopStates(train::FuncOp func, train::ModelOp model) : func(func), model(model) {}
  Value of(Operation *op);

private:
  Value inLoop(train::ScanOp scan, Value outer, int64_t depth);

  train::FuncOp func;
  train::ModelOp model;
  DenseMap<Block *, Value> states;
};
} // namespace

/// Step of the counter from row to row: powers of the odd number 2^64 / golden ratio, so that
/// neighbouring rows, depths and training steps have counters far apart (Knuth 1998, 6.4).
static int64_t counterStep(int64_t depth) {
  uint64_t step = 1;
  for (int64_t i = 0; i <= depth; ++i)
    step *= 0x9E3779B97F4A7C15;
  return int64_t(step);
}

/// `{0, step} * row + outer` at the front of the loop's block.
Value LoopStates::inLoop(train::ScanOp scan, Value outer, int64_t depth) {
  Block &body = scan.getBody().front();
  if (!scan.getIndexed()) {
    body.insertArgument(0u, RankedTensorType::get({}, IntegerType::get(scan.getContext(), 32)),
                        scan.getLoc());
    scan.setIndexed(true);
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  GradBuilder b(builder, scan);
  auto type = cast<RankedTensorType>(outer.getType());
  Value step = b.op<train::ConstantOp>(
      cast<ElementsAttr>(DenseElementsAttr::get(type, ArrayRef<int64_t>{0, counterStep(depth)})));
  Value row = b.castTo(scan.getIndex(), type.getElementType());
  return b.add(outer, b.mul(step, row));
}

/// The state of the innermost loop around an op, built from the outermost loop inwards.
Value LoopStates::of(Operation *op) {
  SmallVector<train::ScanOp> loops;
  for (auto scan = op->getParentOfType<train::ScanOp>(); scan;
       scan = scan->getParentOfType<train::ScanOp>())
    loops.push_back(scan);
  Value &read = states[&func.getBody().front()];
  if (!read)
    read = readRandomState(func, model);
  Value state = read;
  for (auto [depth, scan] : llvm::enumerate(llvm::reverse(loops))) {
    Value &inner = states[&scan.getBody().front()];
    if (!inner)
      inner = inLoop(scan, state, depth);
    state = inner;
  }
  return state;
}

void ampc::attachLoopRandomState(train::FuncOp func, train::ModelOp model) {
  LoopStates states(func, model);
  func.walk([&](RandomOpInterface op) {
    if (!op.hasRandomState() && op->getParentOfType<train::ScanOp>())
      op.setRandomState(states.of(op), randomKey(op));
  });
}
