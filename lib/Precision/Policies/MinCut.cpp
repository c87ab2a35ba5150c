// The default policy: categories fix what ops compute in, a minimum cut fixes what values are
// stored in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every f32 value is stored in 16 bits or not. A store costs its bytes once to write, once per
// reader, and once more if the value waits for the backward pass. Pointwise ops with mixed storage
// compute in f32; the casts that this takes move their bytes, too. Casts at the result of a
// contraction and around ops that compute in f32 anyway are part of those kernels and free; a
// contraction that reads an f32 value needs a rounded copy. Both costs below come from the same
// rules, so that policies can be compared; the cut is the optimum of them (max-flow min-cut, Ford
// and Fulkerson 1956).
#include "lib/Precision/Precision.h"
#include <deque>

using namespace mlir;
using namespace ampc;

static const int64_t never = int64_t(1) << 60;

namespace {
/// Dinic's algorithm on a graph with capacities.
class FlowGraph {
public:
  enum { full = 0, low = 1 }; ///< source and sink
  FlowGraph() { first.assign(2, -1); }
  int addNode() {
    first.push_back(-1);
    return first.size() - 1;
  }
  /// Costs `capacity` if `from` ends on the side of f32 and `to` on that of 16 bits.
  void addEdge(int from, int to, int64_t capacity) {
    for (auto [a, b, c] : {std::tuple(from, to, capacity), std::tuple(to, from, int64_t(0))}) {
      edges.push_back({b, first[a], c});
      first[a] = edges.size() - 1;
    }
  }
  void solve() {
    while (layer())
      for (current = first; push(full, never);)
        ;
  }
  /// After solve: the smallest side of f32.
  bool isFull(int node) const { return level[node] >= 0; }

private:
  struct Edge {
    int to, next;
    int64_t capacity;
  };
  bool layer() {
    level.assign(first.size(), -1);
    level[full] = 0;
    std::deque<int> open{full};
    while (!open.empty()) {
      int node = open.front();
      open.pop_front();
      for (int e = first[node]; e >= 0; e = edges[e].next)
        if (edges[e].capacity > 0 && level[edges[e].to] < 0) {
          level[edges[e].to] = level[node] + 1;
          open.push_back(edges[e].to);
        }
    }
    return level[low] >= 0;
  }
  int64_t push(int node, int64_t amount) {
    if (node == low)
      return amount;
    for (int &e = current[node]; e >= 0; e = edges[e].next) {
      if (edges[e].capacity <= 0 || level[edges[e].to] != level[node] + 1)
        continue;
      if (int64_t pushed = push(edges[e].to, std::min(amount, edges[e].capacity))) {
        edges[e].capacity -= pushed;
        edges[e ^ 1].capacity += pushed;
        return pushed;
      }
    }
    return 0;
  }
  std::vector<Edge> edges;
  std::vector<int> first, current, level;
};

/// The cost of storing values, in the terms that both the cut and the comparison of policies use.
class CostModel {
public:
  CostModel(const PrecisionFacts &facts, const Pins &pins) : facts(facts), pins(pins) {
    for (Operation *op : facts.ops) {
      if (!facts.isDecided(op))
        continue;
      for (Value result : op->getResults())
        if (isStored(result))
          values.push_back(result);
      if (isGray(facts.treatment(op)) && !facts.demand(op).forced)
        gray.insert(op);
    }
    for (BlockArgument argument : facts.func.getArguments())
      if (isStored(argument))
        values.push_back(argument);
  }
  bool isStored(Value v) const { return facts.isReal(v) && !facts.isWeak(v); }
  /// Bytes for one storage type.
  int64_t store(Value v, bool full) const {
    if (facts.isInner(v) && facts.staysInKernel(v))
      return 0;
    auto users = SetVector<Operation *>(v.getUsers().begin(), v.getUsers().end());
    int64_t later = 0; // readers of the backward pass
    if (v.getDefiningOp() && !facts.isBackward(v.getDefiningOp()))
      later = llvm::count_if(users, [&](Operation *user) { return facts.isBackward(user); });
    int64_t moves = 1 + users.size() + (later > 0), bytes = elements(v) * (full ? 4 : 2) * moves;
    if (full && pins.keptLow.contains(v)) // they read a copy, which is written once and waits
      bytes = elements(v) * (4 * (1 + users.size() - later) + 2 * (2 + later));
    bool copied = llvm::any_of(v.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return facts.isDecided(user) && facts.treatment(user) == Treatment::Low &&
             facts.lowOf(user) != facts.f32 &&
             !cast<PrecisionOpInterface>(user).operandStaysFull(use.getOperandNumber());
    });
    return bytes + (full && copied ? convert(v) : 0);
  }
  /// Bytes of a cast between f32 and 16 bits.
  static int64_t convert(Value v) { return elements(v) * 6; }
  /// Computes in f32 whatever is stored: a part of an adjoint, or beside a constant that 16 bits
  /// cannot hold.
  bool needsFull(Operation *op) const {
    auto isPart = [&](Value v) { return facts.isInner(v); };
    if (llvm::any_of(op->getOperands(), isPart) || llvm::any_of(op->getResults(), isPart))
      return true;
    return facts.lowOf(op) == facts.f32 || llvm::any_of(op->getOperands(), [&](Value v) {
             return facts.isReal(v) && facts.isWeak(v) && constantMisfit(v, facts.lowOf(op));
           });
  }

  const PrecisionFacts &facts;
  const Pins &pins;
  SmallVector<Value> values;
  SetVector<Operation *> gray;

  int64_t evaluate(function_ref<bool(Value)> isFull) const;
};
} // namespace

/// Stored values that a pointwise op reads or makes.
static SmallVector<Value> touched(const CostModel &model, Operation *op) {
  SmallVector<Value> all;
  for (Value v :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
    if (model.isStored(v) && !llvm::is_contained(all, v))
      all.push_back(v);
  return all;
}

int64_t CostModel::evaluate(function_ref<bool(Value)> isFull) const {
  int64_t cost = 0;
  DenseSet<Value> widened;
  for (Value v : values)
    cost += store(v, isFull(v));
  for (Operation *op : gray) {
    SmallVector<Value> all = touched(*this, op);
    if (needsFull(op) || llvm::none_of(all, isFull))
      continue;
    for (Value v : all)
      if (!isFull(v) && (v.getDefiningOp() == op || widened.insert(v).second))
        cost += convert(v);
  }
  return cost;
}

int64_t ampc::storageCost(const PrecisionFacts &facts, const Pins &pins,
                          const Assignment &assignment) {
  return CostModel(facts, pins).evaluate([&](Value v) {
    return pins.full.contains(v) || (!pins.low.contains(v) && assignment.storageOf(v) == facts.f32);
  });
}

/// Fills in the types of the ops for the chosen storage.
static void chooseCompute(const CostModel &model, Operation *op, Assignment &assignment) {
  const PrecisionFacts &facts = model.facts;
  Type low = facts.lowOf(op), &type = assignment.compute[op];
  Demand demand = facts.demand(op);
  if (demand.forced) {
    // What a user says of an op does not round the gradients that its adjoint gives to parameters.
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
  SmallVector<Value> all = touched(model, op);
  bool isLow = !all.empty() && !model.needsFull(op) &&
               llvm::all_of(all, [&](Value v) { return assignment.storageOf(v) == low; });
  bool readsWeak =
      llvm::any_of(op->getOperands(), [&](Value v) { return facts.isReal(v) && facts.isWeak(v); });
  bool readsStored = llvm::any_of(op->getOperands(), [&](Value v) { return model.isStored(v); });
  type = isLow && (readsStored || !readsWeak)
             ? low
             : facts.f32; // rows of a table are rounded after the gather
}

/// Why a norm whose bound no one knows may be stored low: its gain is a parameter.
static std::string whyNormalized(Operation *op, Type stored) {
  std::optional<double> bound = normalizedBound(op);
  if (!bound || !stored.isF16())
    return "normalized numbers are small unless a parameter makes them large";
  std::string text;
  llvm::raw_string_ostream(text) << "before its gain a number is at most "
                                 << llvm::format("%.3g", *bound)
                                 << ", so that it takes a gain or bias of about "
                                 << llvm::format("%.3g", largestOf(stored) / *bound)
                                 << " to overflow";
  return text;
}

static std::string describe(const PrecisionFacts &facts, Value v, Type stored) {
  Operation *op = v.getDefiningOp();
  std::string type = textOf(stored);
  switch (facts.treatment(op)) {
  case Treatment::Low:
    return "a contraction takes " + textOf(facts.lowOf(op)) + " and adds up in f32; stored in " +
           type;
  case Treatment::Normalize:
    return "computes in f32; stored in " + type +
           (rangeOf(v) ? ", which holds its range" : ": " + whyNormalized(op, stored));
  default:
    return "stored in " + type + ": of all choices this moves the fewest bytes";
  }
}

Assignment ampc::assignMinCut(const PrecisionFacts &facts, const Pins &pins) {
  CostModel model(facts, pins);
  FlowGraph graph;
  DenseMap<Value, int> node;
  DenseMap<Value, int> widening; // on the f32 side if some pointwise op widens the value
  for (Value v : model.values) {
    int at = node[v] = graph.addNode();
    bool isFull = pins.isFull(v) || !v.getDefiningOp(), isLow = pins.low.contains(v);
    graph.addEdge(at, FlowGraph::low, isFull ? 0 : isLow ? never : model.store(v, true));
    graph.addEdge(FlowGraph::full, at, isFull ? never : isLow ? 0 : model.store(v, false));
  }
  for (Operation *op : model.gray) {
    if (model.needsFull(op))
      continue;
    int computes = graph.addNode();
    for (Value v : touched(model, op)) {
      graph.addEdge(node[v], computes, never);
      if (v.getDefiningOp() == op) {
        graph.addEdge(computes, node[v], CostModel::convert(v));
        continue;
      }
      auto [wide, isNew] = widening.try_emplace(v, 0);
      if (isNew) {
        wide->second = graph.addNode();
        graph.addEdge(wide->second, node[v], CostModel::convert(v));
      }
      graph.addEdge(computes, wide->second, never);
    }
  }
  graph.solve();

  Assignment assignment;
  for (Value v : model.values) {
    Operation *op = v.getDefiningOp();
    bool isFull = graph.isFull(node[v]);
    assignment.storage[v] = isFull || !op ? facts.f32 : facts.lowOf(op);
    if (!op || cast<PrecisionOpInterface>(op).resultStaysFull(
                   cast<OpResult>(v).getResultNumber())) // the op's reason is its main result's
      continue;
    if (isFull && pins.keptLow.contains(v))
      assignment.kept[v] = facts.lowOf(op);
    if (auto pinned = pins.full.find(v); isFull && pinned != pins.full.end())
      assignment.reasons[op] = pinned->getSecond();
    else if (auto sensitive = pins.sensitive.find(v); isFull && sensitive != pins.sensitive.end())
      assignment.reasons[op] = sensitive->getSecond();
    else if (isFull)
      assignment.reasons[op] = {"cut", describe(facts, v, facts.f32)};
    else if (pins.low.contains(v))
      assignment.reasons[op] = pins.low.find(v)->getSecond();
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
