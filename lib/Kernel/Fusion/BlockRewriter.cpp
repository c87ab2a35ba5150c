// Block rewriter with constant-time order queries between changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/BlockRewriter.h"

using namespace mlir;
using namespace ampc;

/// Bounds below and above all labels; the distance of the bounds fits into 64 bits.
static constexpr int64_t least = -(int64_t(1) << 61), greatest = int64_t(1) << 61;

bool BlockRewriter::isBefore(Operation *a, Operation *b) {
  assert(a->getBlock() == b->getBlock() && "expected ops of one block");
  for (Operation *op : {a, b})
    if (!labels.contains(op))
      label(op); // may change the label of `a` or `b`
  return labels.lookup(a) < labels.lookup(b);
}

void BlockRewriter::label(Operation *op) {
  auto isNew = [&](Operation *other) { return other && !labels.contains(other); };
  Operation *first = op, *last = op;
  int64_t count = 1;
  for (; isNew(first->getPrevNode()); ++count)
    first = first->getPrevNode();
  for (; isNew(last->getNextNode()); ++count)
    last = last->getNextNode();
  Operation *before = first->getPrevNode(), *behind = last->getNextNode();
  int64_t from = before ? labels.lookup(before) : least,
          to = behind ? labels.lookup(behind) : greatest, step = (to - from) / (count + 1);
  if (step == 0)
    return labelAll(*op->getBlock());
  for (Operation *each = first; each != behind; each = each->getNextNode())
    labels[each] = from += step;
}

void BlockRewriter::labelAll(Block &block) {
  int64_t step = (greatest - least) / (int64_t(block.getOperations().size()) + 1), at = least;
  for (Operation &op : block)
    labels[&op] = at += step;
}

void BlockRewriter::moveBehind(Operation *op, Operation *other) {
  if (op->getPrevNode() == other)
    return;
  if (other)
    moveOpAfter(op, other);
  else
    moveOpBefore(op, op->getBlock(), op->getBlock()->begin());
}
