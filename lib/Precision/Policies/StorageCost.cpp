// Cost model of the cut: bytes that a program moves under given storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/StorageCost.h"
#include "lib/Precision/Ranges.h"
#include "mlir-dialects/Train/Ops/Loops.h"

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

int64_t StorageCost::elementsOfAllRounds(Value v) {
  constexpr int64_t most = int64_t(1) << 48; // far from FlowGraph::never
  Operation *op = v.getDefiningOp();
  int64_t size = elements(v), runs = op ? runsOf(op) : 1;
  return size > most / runs ? most : size * runs;
}

int64_t StorageCost::store(Value v, bool full) const {
  if (facts.isUnrounded(v) && facts.isNeverStored(v))
    return 0;
  SmallVector<OpOperand *> uses = facts.usesOf(v);
  SetVector<Operation *> users;
  for (OpOperand *use : uses)
    users.insert(use->getOwner());
  int64_t later = 0; // number of consumers in the backward pass
  if (v.getDefiningOp() && !facts.isBackward(v.getDefiningOp()))
    later = llvm::count_if(users, [&](Operation *user) { return facts.isBackward(user); });
  int64_t size = elementsOfAllRounds(v), moves = 1 + users.size() + (later > 0),
          bytes = size * (full ? 4 : 2) * moves;
  if (full && hardConstraints.savedLow.contains(v)) // backward consumers read a copy that is
                                                    // written once and kept
    bytes = size * (4 * (1 + users.size() - later) + 2 * (2 + later));
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
    if (isStored(v) && !llvm::is_contained(all, facts.sourceOf(v)))
      all.push_back(facts.sourceOf(v));
  return all;
}

int64_t StorageCost::evaluate(function_ref<bool(Value)> isFull) const {
  int64_t cost = 0;
  DenseSet<Value> widened;
  for (Value v : values)
    cost += store(v, isFull(v));
  for (Operation *op : followers) {
    SmallVector<Value> all = touched(op);
    if (needsFull(op) || llvm::none_of(all, isFull))
      continue;
    for (Value v : all)
      if (!isFull(v) && (v.getDefiningOp() == op || widened.insert(v).second))
        cost += convert(v);
  }
  return cost;
}
