// The default policy `mincut`: categories fix the compute types of ops, a minimum cut fixes the
// storage types of values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every f32 value is stored in either f32 or 16 bits. The cut minimizes the same costs by which
// policies are compared (StorageCost.h), and is optimal (max-flow min-cut, Ford and Fulkerson
// 1956).
#include "lib/Precision/Policies/MinCut.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Policies/FlowGraph.h"
#include "lib/Precision/Policies/Policies.h"
#include "lib/Precision/Policies/StorageCost.h"
#include "lib/Precision/Ranges.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace ampc;

/// Compute type of an op for the chosen storage types.
static void chooseCompute(const StorageCost &model, Operation *op, Assignment &assignment) {
  const PrecisionAnalysis &facts = model.facts;
  Type low = facts.lowOf(op), &type = assignment.compute[op];
  UserConstraint demand = facts.demand(op);
  if (demand.forced) {
    // A user constraint on an op does not round the gradients of parameters that the op's adjoint
    // produces.
    bool givesFull = !op->getResults().empty() && llvm::all_of(op->getResults(), [&](Value v) {
      return facts.isReal(v) && assignment.storageOf(v) == facts.f32;
    });
    type = givesFull && facts.treatment(op) != Treatment::Low ? facts.f32 : demand.type;
    return;
  }
  switch (facts.treatment(op)) {
  case Treatment::Low:
    type = low;
    return;
  case Treatment::Full:
  case Treatment::Normalize:
  case Treatment::Untouched:
    type = facts.f32;
    return;
  default:
    break;
  }
  SmallVector<Value> all = model.touched(op);
  bool isLow = !all.empty() && !model.needsFull(op) && llvm::all_of(all, [&](Value v) {
    return assignment.storageOf(facts.sourceOf(v)) == low;
  });
  bool readsStorageFree = llvm::any_of(
      op->getOperands(), [&](Value v) { return facts.isReal(v) && facts.isDuplicable(v); });
  bool readsStored = llvm::any_of(op->getOperands(), [&](Value v) { return model.isStored(v); });
  type = isLow && (readsStored || !readsStorageFree)
             ? low
             : facts.f32; // rows of a table are rounded after the gather
}

/// Reason for storing a norm without a known bound in 16 bits: the gain is a parameter.
static std::string whyNormalized(Operation *op, Type stored) {
  std::optional<double> bound = cast<PrecisionOpInterface>(op).getNormalizedBound();
  if (!bound || !stored.isF16())
    return "normalized numbers are small unless a parameter makes them large";
  std::string text;
  llvm::raw_string_ostream(text) << "before the gain a number is at most "
                                 << llvm::format("%.3g", *bound)
                                 << ", so that a gain or bias of about "
                                 << llvm::format("%.3g", largestOf(stored) / *bound)
                                 << " is needed to overflow";
  return text;
}

static std::string describe(const PrecisionAnalysis &facts, Value v, Type stored) {
  Operation *op = v.getDefiningOp();
  std::string type = textOf(stored);
  switch (facts.treatment(op)) {
  case Treatment::Low:
    return "a contraction takes " + textOf(facts.lowOf(op)) + " and adds up in f32; stored in " +
           type;
  case Treatment::Normalize:
    return "computes in f32; stored in " + type +
           (rangeOf(v) ? ", which holds the range" : ": " + whyNormalized(op, stored));
  default:
    return "stored in " + type + ": the choice that moves the fewest bytes";
  }
}

Assignment ampc::assignMinCut(const PrecisionAnalysis &facts,
                              const HardConstraints &hardConstraints) {
  StorageCost model(facts, hardConstraints);
  FlowGraph graph;
  DenseMap<Value, int> node;
  DenseMap<SharedCast, int> widening; // node on the f32 side if the cast is needed
  for (Value v : model.values) {
    int at = node[v] = graph.addNode();
    bool isFull = hardConstraints.isFull(v) || !v.getDefiningOp(),
         isLow = hardConstraints.low.contains(v);
    graph.addEdge(at, FlowGraph::low, isFull ? 0 : isLow ? FlowGraph::never : model.store(v, true));
    graph.addEdge(FlowGraph::full, at,
                  isFull  ? FlowGraph::never
                  : isLow ? 0
                          : model.store(v, false));
  }
  for (Operation *op : model.followers) {
    if (model.needsFull(op))
      continue;
    int computes = graph.addNode();
    for (Value v : model.touched(op)) {
      int stored =
          node.lookup(facts.sourceOf(v)); // FlowGraph::full for values outside of the model
      graph.addEdge(stored, computes, FlowGraph::never);
      if (v.getDefiningOp() == op) {
        graph.addEdge(computes, stored, StorageCost::convert(v));
        continue;
      }
      auto [wide, isNew] = widening.try_emplace({v, op->getBlock()}, 0);
      if (isNew) {
        wide->second = graph.addNode();
        graph.addEdge(wide->second, stored, StorageCost::convertFor(op, v));
      }
      graph.addEdge(computes, wide->second, FlowGraph::never);
    }
  }
  graph.solve();

  Assignment assignment;
  for (Value v : model.values) {
    Operation *op = v.getDefiningOp();
    bool isFull = graph.isFull(node[v]);
    assignment.storage[v] = isFull || !op ? facts.f32 : facts.lowOf(op);
    if (!op || cast<PrecisionOpInterface>(op).resultStaysFull(
                   cast<OpResult>(v).getResultNumber())) // the op's reason belongs to the main
                                                         // result
      continue;
    if (isFull && hardConstraints.savedLow.contains(v))
      assignment.saved[v] = hardConstraints.savedWide.contains(v)
                                ? BFloat16Type::get(op->getContext())
                                : facts.lowOf(op);
    if (auto pinned = hardConstraints.full.find(v); isFull && pinned != hardConstraints.full.end())
      assignment.reasons[op] = pinned->getSecond();
    else if (auto sensitive = hardConstraints.sensitive.find(v);
             isFull && sensitive != hardConstraints.sensitive.end())
      assignment.reasons[op] = sensitive->getSecond();
    else if (isFull)
      assignment.reasons[op] = {"cut", describe(facts, v, facts.f32)};
    else if (hardConstraints.low.contains(v))
      assignment.reasons[op] = hardConstraints.low.find(v)->getSecond();
    else
      assignment.reasons[op] = {facts.treatment(op) == Treatment::Low         ? "contraction"
                                : facts.treatment(op) == Treatment::Normalize ? "normalize"
                                                                              : "cut",
                                describe(facts, v, assignment.storage[v])};
  }
  for (Operation *op : facts.ops)
    if (facts.isDecided(op))
      chooseCompute(model, op, assignment);
  return assignment;
}

namespace {
struct MinCut : PrecisionPolicy {
  MinCut()
      : PrecisionPolicy("mincut", "the category of an op fixes the compute type; values are stored "
                                  "so that the step moves the fewest bytes") {}
  PolicyTable table(Type low) const override {
    // bf16 has the range of f32: ops whose results grow or shrink fast still compute in f32, but
    // may store bf16. Ops on no list follow the op's precision category.
    SmallVector<StringRef> lists{"mincut-bf16", "mincut"};
    PolicyTable table = PolicyTable::ofLists(ArrayRef(lists).drop_front(low.isBF16() ? 0 : 1));
    table.keepsKernelsFull = true;
    return table;
  }
  FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const override {
    return assignMinCut(facts, findHardConstraints(facts));
  }
  bool keepsValuesFull() const override { return true; }
  bool movesFewestBytes() const override { return true; }
};
} // namespace

std::unique_ptr<PrecisionPolicy> ampc::createMinCutPolicy() { return std::make_unique<MinCut>(); }
