// Groups of ops that stem from the same op of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/SourceGroups.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

SourceGroups::SourceGroups(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (train::OriginAttr origin = originOf(op)) {
      StringAttr name = StringAttr::get(op->getContext(), origin.getText());
      groups[op] = name.getValue();
      byName.try_emplace(name.getValue(), op);
    }
}

Operation *SourceGroups::forwardOf(Operation *op) const {
  train::OriginAttr origin = originOf(op);
  return origin && origin.getOrder() > 0 ? byName.lookup(origin.getName()) : nullptr;
}
