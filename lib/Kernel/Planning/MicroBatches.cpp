// Assignment of kernels to micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Planning/MicroBatches.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

/// Last micro-batch whose values the op reads; nothing for views, constants and updates.
static std::optional<int64_t> ownMicroBatch(Operation *op) {
  std::optional<int64_t> own;
  for (train::OriginAttr origin : originsOf(op))
    if (!origin.isUpdate())
      own = std::max(own.value_or(0), origin.getPart());
  return own;
}

MicroBatches::MicroBatches(Block &block) {
  int64_t last = 0;
  for (Operation &op : block)
    last = std::max(last, ownMicroBatch(&op).value_or(0));
  if (last == 0)
    return;
  for (Operation &op : llvm::reverse(block)) {
    std::optional<int64_t> own = ownMicroBatch(&op);
    SchedulePosition first(own.value_or(last), 0);
    for (Operation *user : op.getUsers())
      first = std::min(first, places.lookup(user));
    bool isAhead = own && (*own > first.first || first.second < 0);
    if (isAhead)
      first.second = std::min(first.second, *own - last - 1);
    places[&op] = first;
  }
}
