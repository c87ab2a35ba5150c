// Consumers of a value through views, and removal of dead views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/Views.h"

using namespace mlir;
using namespace ampc;

void ampc::findConsumers(Value value, llvm::SmallSetVector<Operation *, 4> &consumers) {
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<kernel::ViewOp>(user))
      findConsumers(view, consumers);
    else
      consumers.insert(user);
}
/// Stops at the first other consumer: a learning rate has as many consumers as a model has
/// parameters.
static bool hasOtherConsumer(Value value, Operation *consumer) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto view = dyn_cast<kernel::ViewOp>(user);
    return view ? hasOtherConsumer(view, consumer) : user != consumer;
  });
}
bool ampc::isOnlyConsumer(Operation *producer, Operation *consumer) {
  return llvm::none_of(producer->getResults(),
                       [&](Value result) { return hasOtherConsumer(result, consumer); });
}

void ampc::eraseDeadViews(BlockRewriter &rewriter, Operation *op) {
  while (op && isa<kernel::ViewOp>(op) && op->use_empty()) {
    Operation *inner = op->getOperand(0).getDefiningOp();
    rewriter.eraseOp(op);
    op = inner;
  }
}

void ampc::dropDeadViews(BlockRewriter &rewriter, Operation *producer) {
  for (Operation *user : llvm::make_early_inc_range(producer->getUsers()))
    if (isa<kernel::ViewOp>(user) && user->use_empty())
      rewriter.eraseOp(user);
}

void ampc::readThroughUnitViews(BlockRewriter &rewriter, FusedKernelOpInterface op) {
  SmallVector<AffineMap> maps = mapsOf(op.getInputMaps());
  bool changed = false;
  for (auto [operand, map] : llvm::zip(inputsOf(op), maps)) {
    Value base = kernel::throughViews(operand.get());
    if (base == operand.get())
      continue;
    AffineMap toBase = unitReshape(shapeOf(operand.get()), shapeOf(base), op->getContext());
    if (!toBase)
      continue;
    changed = true;
    map = toBase.compose(map);
    Operation *view = operand.get().getDefiningOp();
    operand.set(base);
    eraseDeadViews(rewriter, view);
  }
  if (changed)
    op->setAttr("input_maps", Builder(op).getAffineMapArrayAttr(maps));
}

void ampc::shareView(BlockRewriter &rewriter, Value value) {
  auto view = value.getDefiningOp<kernel::ViewOp>();
  if (!view)
    return;
  Value base = view->getOperand(0);
  rewriter.moveBehind(view, base.getDefiningOp());
  for (Operation *user : llvm::make_early_inc_range(base.getUsers()))
    if (auto other = dyn_cast<kernel::ViewOp>(user);
        other && other != view && other.getType() == view.getType()) {
      other.replaceAllUsesWith(view.getResult());
      rewriter.eraseOp(other);
    }
}
