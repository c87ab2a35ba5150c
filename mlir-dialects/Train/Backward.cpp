// Which ops of a differentiated program are its backward pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Backward.h"

using namespace mlir;
using namespace ampc;

BackwardOps::BackwardOps(Block &body) {
  DenseSet<StringAttr> forwardNames;
  DenseSet<Operation *> fromSeed, later;
  for (Operation &op : body.without_terminator()) {
    auto name = dyn_cast<NameLoc>(op.getLoc());
    bool isSeed = isa<train::SeedOp>(op);
    if (isSeed && !seed)
      seed = &op;
    if (!seed) {
      if (name && !op.hasTrait<OpTrait::ConstantLike>()) // those were moved to the front
        forwardNames.insert(name.getName());
      continue;
    }
    ops.insert(&op);
    if (isSeed || llvm::any_of(op.getOperands(), [&](Value operand) {
          return fromSeed.contains(operand.getDefiningOp());
        }))
      fromSeed.insert(&op);
    else if (name && forwardNames.contains(name.getName()))
      later.insert(&op);
  }
  // What only gradients read is made for them.
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (later.contains(&op) && llvm::any_of(op.getUsers(), [&](Operation *user) {
          return user->hasTrait<OpTrait::IsTerminator>() ||
                 (later.contains(user) && !contains(user));
        }))
      ops.erase(&op);
}
