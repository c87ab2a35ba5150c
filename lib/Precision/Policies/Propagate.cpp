// Policy `propagate`, TensorFlow's graph rewrite: allow, infer, deny and clear ops are painted
// (auto_mixed_precision.cc).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/HardConstraints.h"
#include "lib/Precision/Policies/Policies.h"

using namespace mlir;
using namespace ampc;

namespace {
class Painter {
public:
  explicit Painter(const PrecisionAnalysis &facts) : facts(facts) {
    for (Operation *op : facts.ops) {
      bool fixed = facts.demand(op).forced && facts.demand(op).type == facts.f32;
      if (facts.isDecided(op) && !fixed && facts.lowOf(op) != facts.f32 &&
          facts.treatment(op) != Treatment::Untouched)
        nodes.insert(op);
    }
  }
  void paint();

  const PrecisionAnalysis &facts;
  DenseSet<Operation *> nodes, allowed, denied;

private:
  using Set = DenseSet<Operation *>;
  using Test = function_ref<bool(Operation *)>;
  bool is(Operation *op, Treatment treatment) const {
    return nodes.contains(op) && facts.treatment(op) == treatment;
  }
  SmallVector<Operation *> all(Treatment treatment) const {
    return llvm::filter_to_vector(facts.ops, [&](Operation *op) { return is(op, treatment); });
  }
  /// Visits all ops reachable from `start` through ops that pass `enter`.
  void walk(ArrayRef<Operation *> start, bool up, bool down, Test enter, Set &seen) const;
  void paintDenied();
  void paintBetween();
  void spread();
};
} // namespace

/// Operands that every consumer reads in f32: no colour passes such a use.
static bool staysFull(OpOperand &use) {
  auto precision = dyn_cast<PrecisionOpInterface>(use.getOwner());
  return precision && precision.operandStaysFull(use.getOperandNumber());
}

void Painter::walk(ArrayRef<Operation *> start, bool up, bool down, Test enter, Set &seen) const {
  SmallVector<Operation *> open(start);
  auto visit = [&](Operation *op) {
    if (op && enter(op) && seen.insert(op).second)
      open.push_back(op);
  };
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    if (up)
      for (OpOperand &operand : op->getOpOperands())
        if (facts.isReal(operand.get()) && !staysFull(operand))
          visit(facts.producerOf(operand.get()));
    if (down)
      for (Value result : op->getResults())
        if (facts.isReal(result))
          for (OpOperand *use : facts.usesOf(result))
            if (!staysFull(*use))
              visit(use->getOwner());
  }
}

/// Deny propagates forward, but only to ops with another deny or infer op further on.
void Painter::paintDenied() {
  Set upstream;
  SmallVector<Operation *> ends = all(Treatment::Full);
  ends.append(all(Treatment::Promote));
  upstream.insert(ends.begin(), ends.end());
  walk(ends, true, false, [&](Operation *op) { return is(op, Treatment::Pass); }, upstream);
  for (Operation *op : all(Treatment::Full))
    denied.insert(op);
  walk(
      all(Treatment::Full), false, true, [&](Operation *op) { return upstream.contains(op); },
      denied);
}

/// Infer and clear ops on a path from an allow op to an allow op. Example: matmul -> relu -> matmul
/// paints relu.
void Painter::paintBetween() {
  auto mayPass = [&](Operation *op) {
    return (is(op, Treatment::Pass) || is(op, Treatment::Promote)) && !denied.contains(op);
  };
  Set downstream, between;
  walk(all(Treatment::Low), false, true, mayPass, downstream);
  walk(
      all(Treatment::Low), true, false, [&](Operation *op) { return downstream.contains(op); },
      between);
  allowed.insert(between.begin(), between.end());
}

/// Clear ops next to a painted op are painted as well.
void Painter::spread() {
  SmallVector<Operation *> start =
      llvm::filter_to_vector(facts.ops, [&](Operation *op) { return allowed.contains(op); });
  walk(
      start, true, true,
      [&](Operation *op) { return is(op, Treatment::Pass) && !denied.contains(op); }, allowed);
}

void Painter::paint() {
  for (Operation *op : all(Treatment::Low))
    allowed.insert(op);
  if (allowed.empty())
    return;
  paintDenied();
  paintBetween();
  spread();
}

static Reason reasonOf(const Painter &painter, Operation *op) {
  const PrecisionAnalysis &facts = painter.facts;
  Treatment treatment = facts.treatment(op);
  if (!painter.nodes.contains(op))
    return facts.demand(op).forced
               ? Reason{facts.demand(op).rule, facts.demand(op).source}
               : Reason{"untouched", "on no list: stays in f32 and passes no type on"};
  if (painter.allowed.contains(op))
    return {treatment == Treatment::Low       ? "allow"
            : treatment == Treatment::Promote ? "infer"
                                              : "clear",
            treatment == Treatment::Low       ? "on the allow list"
            : treatment == Treatment::Promote ? "between two allow ops with no deny op before it"
                                              : "next to ops in 16 bits"};
  if (painter.denied.contains(op))
    return {"deny", treatment == Treatment::Full ? "on the deny list" : "downstream of a deny op"};
  return {treatment == Treatment::Promote ? "infer" : "clear", "not between two allow ops"};
}

static Assignment assignTypes(const PrecisionAnalysis &facts) {
  Painter painter(facts);
  painter.paint();
  DenseSet<Value> gradients = gradientsOf(facts); // gradients reach the optimizer without rounding
  Assignment assignment;
  for (Operation *op : facts.ops) {
    if (!facts.isDecided(op))
      continue;
    UserConstraint demand = facts.demand(op);
    bool moves =
        facts.treatment(op) == Treatment::Promote || facts.treatment(op) == Treatment::Pass;
    bool movesGradient = moves && op->getNumResults() == 1 && gradients.contains(op->getResult(0));
    bool painted = painter.allowed.contains(op) && !movesGradient;
    Type type = demand.forced ? demand.type : painted ? facts.lowOf(op) : facts.f32;
    auto precision = cast<PrecisionOpInterface>(op);
    // Sums and norms keep an f32 accumulator: only operands and results are narrow.
    assignment.compute[op] = precision.getCategory() == Category::FullPrecision ? facts.f32 : type;
    if (type != facts.f32)
      assignment.entry[op] = type;
    for (Value result : op->getResults())
      if (facts.isReal(result))
        assignment.storage[result] =
            gradients.contains(result) &&
                    (!demand.forced || precision.getCategory() == Category::LowPrecision)
                ? facts.f32
                : type;
    assignment.reasons[op] = reasonOf(painter, op);
    if (movesGradient && !demand.forced && painter.allowed.contains(op))
      assignment.reasons[op] = {"gradient",
                                "a parameter's gradient reaches the optimizer without rounding"};
  }
  return assignment;
}

namespace {
struct Propagate : PrecisionPolicy {
  Propagate()
      : PrecisionPolicy("propagate", "TensorFlow's graph rewrite: allow, infer, deny and clear "
                                     "lists, painted over the graph") {}
  PolicyTable table(Type low) const override {
    // tensorflow, core/grappler/optimizers/auto_mixed_precision_lists.h: lists of CUDA; for bf16,
    // where different, lists of CPUs (AutoMixedPrecisionListsMkl). Ops on no list stay f32.
    SmallVector<StringRef> lists{"propagate-bf16", "propagate"};
    return PolicyTable::ofLists(ArrayRef(lists).drop_front(low.isBF16() ? 0 : 1),
                                /*others=*/Treatment::Untouched);
  }
  FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const override {
    return assignTypes(facts);
  }
};
} // namespace

std::unique_ptr<PrecisionPolicy> ampc::createPropagatePolicy() {
  return std::make_unique<Propagate>();
}
