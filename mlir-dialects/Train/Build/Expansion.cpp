// Expansion of a composite op into the ops that replace the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Build/Expansion.h"

using namespace mlir;
using namespace ampc;

Expansion ampc::buildExpansion(Operation *op, ExpansionRule rule) {
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  Operation *before = op->getPrevNode();
  SmallVector<Value> values = rule(b);
  Block::iterator end(op),
      begin = before ? std::next(Block::iterator(before)) : op->getBlock()->begin();
  return {std::move(values), {begin, end}};
}

bool ampc::replaceByExpansion(Operation *op, ExpansionRule rule) {
  SmallVector<Value> values = buildExpansion(op, rule).values;
  if (values.empty())
    return false;
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

bool ampc::replaceByDecomposition(CompositeOpInterface op) {
  return replaceByExpansion(op, [&](GradBuilder &b) { return op.decompose(b); });
}
