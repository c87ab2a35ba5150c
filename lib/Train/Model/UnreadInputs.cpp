// Warning of inputs on which no result depends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/LowerMode.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace ampc;

/// Ops on which a result of the function depends.
static DenseSet<Operation *> findLiveOps(Block &body) {
  DenseSet<Operation *> live{body.getTerminator()};
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(op.getUsers(), [&](Operation *user) {
          return live.contains(body.findAncestorOpInBlock(*user));
        }))
      live.insert(&op);
  return live;
}

void ampc::warnOfUnreadInputs(train::ModelOp model) {
  // A source function has several instances, and an input unread by some may be read by another.
  llvm::MapVector<std::pair<Attribute, Attribute>, bool> isRead;
  for (auto func : model.getOps<train::FuncOp>()) {
    Block &body = func.getBody().front();
    DenseSet<Operation *> live = findLiveOps(body);
    for (BlockArgument argument : body.getArguments())
      if (auto input = Signature(func).argument<train::InputAttr>(argument))
        isRead[{LocationAttr(argument.getLoc()), input.getName()}] |=
            llvm::any_of(argument.getUsers(), [&](Operation *user) {
              return live.contains(body.findAncestorOpInBlock(*user));
            });
  }
  for (auto &[input, read] : isRead)
    if (!read)
      emitWarning(cast<LocationAttr>(input.first))
          << "expected every input to be read, but no result depends on " << input.second;
}
