// Which op of the model an op stems from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Facts/SourceGroups.h"
#include "lib/Precision/Values.h"

using namespace mlir;
using namespace ampc;

SourceGroups::SourceGroups(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (auto name = dyn_cast<NameLoc>(op->getLoc())) {
      groups[op] = name.getName().getValue();
      byName.try_emplace(name.getName().getValue(), op);
    }
}

Operation *SourceGroups::forwardOf(Operation *op) const {
  StringRef name = group(op);
  return name.ends_with(".grad") ? byName.lookup(sourceName(name)) : nullptr;
}
