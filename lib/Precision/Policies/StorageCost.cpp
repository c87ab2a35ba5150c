// Cost model of the cut: bytes that a program moves under given storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/StorageCost.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ampc;

StorageCost::StorageCost(const PrecisionAnalysis &facts, const HardConstraints &hardConstraints)
    : facts(facts), hardConstraints(hardConstraints) {
  for (Operation *op : facts.ops) {
    if (!facts.isDecided(op))
      continue;
    for (Value result : op->getResults())
      if (isStored(result))
        values.push_back(result);
    if (computesAsStored(facts.treatment(op)) && !facts.demand(op).forced)
      followers.insert(op);
  }
  for (BlockArgument argument : facts.func.getArguments())
    if (isStored(argument))
      values.push_back(argument);
}

/// Elements of a tensor in all runs of an op; far from FlowGraph::never.
static int64_t elementsInRuns(Value v, Operation *op) {
  constexpr int64_t most = int64_t(1) << 48;
  int64_t size = elements(v), runs = op ? runsOf(op) : 1;
  return size > most / runs ? most : size * runs;
}

int64_t StorageCost::elementsWritten(Value v) { return elementsInRuns(v, v.getDefiningOp()); }

int64_t StorageCost::convertFor(Operation *consumer, Value v) {
  return elementsInRuns(v, consumer) * 6;
}

int64_t StorageCost::store(Value v, bool full) const {
  if (facts.isUnrounded(v) && facts.isNeverStored(v))
    return 0;
  SmallVector<OpOperand *> uses = facts.usesOf(v);
  bool isForward = v.getDefiningOp() && !facts.isBackward(v.getDefiningOp());
  int64_t written = elementsWritten(v), read = 0, later = 0; // `later`: by the backward pass
  llvm::SmallPtrSet<Operation *, 8> users;
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
    if (!users.insert(user).second)
      continue;
    int64_t size = elementsInRuns(use->get(), user);
    read += size;
    later += isForward && facts.isBackward(user) ? size : 0;
  }
  int64_t moved = written + read + (later > 0 ? written : 0), bytes = moved * (full ? 4 : 2);
  if (full && hardConstraints.savedLow.contains(v)) // backward consumers read a copy that is
                                                    // written once and kept
    bytes = 4 * (written + read - later) + 2 * (2 * written + later);
  bool copied = llvm::any_of(uses, [&](OpOperand *use) {
    Operation *user = use->getOwner();
    return facts.isDecided(user) && facts.treatment(user) == Treatment::Low &&
           facts.lowOf(user) != facts.f32 &&
           !cast<PrecisionOpInterface>(user).operandStaysFull(use->getOperandNumber());
  });
  return bytes + (full && copied ? convert(v) : 0);
}

bool StorageCost::needsFull(Operation *op) const {
  auto isPart = [&](Value v) { return facts.isUnrounded(v); };
  if (llvm::any_of(op->getOperands(), isPart) || llvm::any_of(op->getResults(), isPart))
    return true;
  return facts.lowOf(op) == facts.f32 || llvm::any_of(op->getOperands(), [&](Value v) {
           return facts.isReal(v) && facts.isDuplicable(v) && constantMisfit(v, facts.lowOf(op));
         });
}

SmallVector<Value> StorageCost::touched(Operation *op) const {
  SmallVector<Value> all;
  for (Value v :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
    if (isStored(v) && !llvm::is_contained(all, v))
      all.push_back(v);
  return all;
}

int64_t StorageCost::evaluate(function_ref<bool(Value)> isFull) const {
  int64_t cost = 0;
  DenseSet<SharedCast> widened;
  for (Value v : values)
    cost += store(v, isFull(v));
  auto isStoredFull = [&](Value v) { return isFull(facts.sourceOf(v)); };
  for (Operation *op : followers) {
    SmallVector<Value> all = touched(op);
    if (needsFull(op) || llvm::none_of(all, isStoredFull))
      continue;
    for (Value v : all) {
      if (isStoredFull(v))
        continue;
      if (v.getDefiningOp() == op)
        cost += convert(v);
      else if (widened.insert({v, op->getBlock()}).second)
        cost += convertFor(op, v);
    }
  }
  return cost;
}
