// Layout propagation: parameters and buffers are stored in the transposed order that all their
// consumers read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/BatchAnalysis.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Program/TransposeClaims.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINABSORBTRANSPOSES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Whether every element of the result is computed from the operands' elements at the same position
/// alone.
static bool isPointwise(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return scalar && op->getNumResults() == 1 && !isa<RandomOpInterface>(op) &&
         !scalar->hasTrait<ReducesRow>();
}

// ---- State ----

namespace {
/// A parameter or buffer with the corresponding arguments of all programs.
struct State {
  StateOpInterface op;
  SmallVector<BlockArgument> arguments;
  std::optional<Reordering> reordering; ///< common to all uses
  bool canChange = true;
};

class LayoutPropagation {
public:
  explicit LayoutPropagation(train::ModelOp model) : model(model) {}
  void run();

private:
  void findStates();
  void findClaims(train::FuncOp func);
  void dropInconsistentClaims();
  bool agree(State &state);
  bool canReorder(State &state, const Reordering &reordering);
  bool keepsMomentsOf(train::StepOp step, train::ParamOp param);
  void apply(State &state);

  train::ModelOp model;
  llvm::MapVector<StringAttr, State> states;
  SmallVector<TransposeClaim> claims;
  /// claim number and order per use
  DenseMap<OpOperand *, std::pair<size_t, const Reordering *>> claimed;
};
} // namespace

/// Collects state. State that a function writes keeps its layout.
void LayoutPropagation::findStates() {
  for (auto state : model.getOps<StateOpInterface>())
    states[StringAttr::get(model.getContext(), state.getSymName())].op = state;
  for (auto func : model.getOps<train::FuncOp>()) {
    Signature signature(func);
    for (BlockArgument argument : func.getArguments())
      if (StringAttr name = signature.stateArgument(argument.getArgNumber()))
        states[name].arguments.push_back(argument);
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (StringAttr name = signature.stateResult(i))
        states[name].canChange = false;
  }
}

void LayoutPropagation::findClaims(train::FuncOp func) {
  Signature signature(func);
  auto isState = [&](Value value) {
    BlockArgument argument = programArgument(value);
    return argument && signature.stateArgument(argument.getArgNumber());
  };
  llvm::append_range(claims, findTransposeClaims(func.getBody().front(), isState, isPointwise));
}

/// Whether every moment has an element for each element of the parameter. Factored moments per row
/// and column have not, and depend on the order of dimensions. Extents of 1 hide the dimensions
/// that a moment lacks: the column moments of [16, 16, 16, 1, 1] have the parameter's shape. So the
/// rule is queried for a parameter with an additional element along each dimension.
bool LayoutPropagation::keepsMomentsOf(train::StepOp step, train::ParamOp param) {
  if (!llvm::is_contained(step.getParams(), FlatSymbolRefAttr::get(param.getSymNameAttr())))
    return true;
  auto shape = llvm::map_to_vector(tensorOf(param.getType()).getShape(),
                                   [](int64_t extent) { return extent + 1; });
  return llvm::all_of(step.getOptimizerOf(param.getSymNameAttr()).getMomentsOf(shape),
                      [&](const Moment &moment) { return moment.shape == shape; });
}

/// Whether the logical layout is a permutation of whole dimensions, or the memory layout itself.
static bool hasWholeDimensions(StateOpInterface state) {
  std::optional<LogicalOrder> outside = LogicalOrder::of(state);
  return !outside || (outside->shape.empty() &&
                      ArrayRef(outside->parts) == tensorOf(state.getType()).getShape());
}

/// Whether the state may have the order. Optimizer rules may depend on rows, so dimension 0 stays
/// first.
bool LayoutPropagation::canReorder(State &state, const Reordering &reordering) {
  ArrayRef<int64_t> shape = tensorOf(state.op.getType()).getShape();
  bool isWhole = ArrayRef(reordering.parts) == shape;
  if (!state.canChange || !hasWholeDimensions(state.op) ||
      (!isWhole && state.op->hasAttr(LogicalOrder::key)))
    return false;
  if (isWhole && reordering.order.front() != 0)
    return false;
  auto param = dyn_cast<train::ParamOp>(*state.op);
  return !param || llvm::all_of(model.getOps<train::StepOp>(),
                                [&](train::StepOp step) { return keepsMomentsOf(step, param); });
}

/// Whether all uses have the same claim, which is then the state's order.
bool LayoutPropagation::agree(State &state) {
  state.reordering.reset();
  for (BlockArgument argument : state.arguments)
    for (OpOperand &use : argument.getUses()) {
      auto [claim, reordering] = claimed.lookup(&use);
      if (!reordering || !claims[claim].holds ||
          (state.reordering && !(*state.reordering == *reordering)))
        return false;
      state.reordering = *reordering;
    }
  return !state.reordering || canReorder(state, *state.reordering);
}

/// Drops claims until the remaining claims are consistent.
void LayoutPropagation::dropInconsistentClaims() {
  DenseSet<Value> arguments;
  for (auto &[name, state] : states)
    arguments.insert_range(state.arguments);
  for (auto [number, claim] : llvm::enumerate(claims))
    for (auto &[use, reordering] : claim.needs)
      if (!arguments.contains(use->get()) ||
          // a transpose between two activations
          !claimed.try_emplace(use, number, &reordering).second)
        claim.holds = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, state] : states) {
      if (agree(state))
        continue;
      state.reordering.reset();
      for (BlockArgument argument : state.arguments)
        for (OpOperand &use : argument.getUses())
          if (auto [claim, reordering] = claimed.lookup(&use); reordering && claims[claim].holds) {
            claims[claim].holds = false;
            changed = true;
          }
    }
  }
}

void LayoutPropagation::apply(State &state) {
  auto [parts, order] = *state.reordering;
  auto type = tensorOf(state.op.getType());
  bool isWhole = ArrayRef(parts) == type.getShape();
  SmallVector<int64_t> seen = inversePermutation(order);
  if (std::optional<LogicalOrder> before = LogicalOrder::of(state.op))
    seen = permuted(seen, before->order);
  LogicalOrder outside{seen, permuted(parts, order), {}};
  if (!isWhole)
    outside.shape = llvm::to_vector(type.getShape());
  auto inside = isWhole ? type.clone(outside.parts) : type;
  state.op->setAttr("type", TypeAttr::get(inside));
  outside.attachTo(state.op);
  for (BlockArgument argument : state.arguments)
    argument.setType(inside);
}

void LayoutPropagation::run() {
  findStates();
  for (auto func : model.getOps<train::FuncOp>())
    findClaims(func);
  dropInconsistentClaims();
  for (auto &[name, state] : states)
    if (state.reordering)
      apply(state);
  for (TransposeClaim &claim : claims)
    if (claim.holds)
      claim.apply();
  for (auto func : model.getOps<train::FuncOp>())
    Signature(func).updateType();
}

namespace {
struct TrainAbsorbTransposes : ampc::impl::TrainAbsorbTransposesBase<TrainAbsorbTransposes> {
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      LayoutPropagation(model).run();
  }
};
} // namespace
