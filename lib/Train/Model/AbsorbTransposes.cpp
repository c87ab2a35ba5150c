// State lies in the order that its transpositions give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/BatchAnalysis.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Outside.h"
#include "mlir-dialects/Train/Signature.h"
#include "mlir-dialects/Train/Tensors.h"
#include "mlir-dialects/Train/TransposeClaims.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINABSORBTRANSPOSES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Every element is computed from those at its place alone.
static bool isPointwise(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return scalar && op->getNumResults() == 1 && !isa<RandomOpInterface>(op) &&
         !looksAlongRow(scalar);
}

// ---- State ----

namespace {
/// A parameter or buffer with its arguments in all programs.
struct State {
  StateOpInterface op;
  SmallVector<BlockArgument> arguments;
  std::optional<Reordering> reordering; ///< that every use asks for
  bool canChange = true;
};

class Absorption {
public:
  explicit Absorption(train::ModelOp model) : model(model) {}
  void run();

private:
  void findStates();
  void findClaims(train::FuncOp func);
  void settle();
  bool agree(State &state);
  bool mayTake(State &state, const Reordering &reordering);
  bool keepsMomentsOf(train::StepOp step, train::ParamOp param);
  void apply(State &state);

  train::ModelOp model;
  llvm::MapVector<StringAttr, State> states;
  SmallVector<TransposeClaim> claims;
  DenseMap<OpOperand *, std::pair<size_t, const Reordering *>> claimed; ///< by which claim
};
} // namespace

/// State that a function writes stays as it is.
void Absorption::findStates() {
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

void Absorption::findClaims(train::FuncOp func) {
  Signature signature(func);
  auto isState = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && signature.stateArgument(argument.getArgNumber());
  };
  llvm::append_range(claims, findTransposeClaims(func.getBody().front(), isState, isPointwise));
}

/// Whether every moment has an element for each of the parameter's. Those of rows and columns have
/// not, and depend on the order of dimensions. Extents of 1 hide which dimensions a moment lacks:
/// the column moments of [16, 16, 16, 1, 1] have the parameter's shape. So the rule is asked about
/// a parameter with one more element along each dimension.
bool Absorption::keepsMomentsOf(train::StepOp step, train::ParamOp param) {
  if (!llvm::is_contained(step.getParams(), FlatSymbolRefAttr::get(param.getSymNameAttr())))
    return true;
  auto shape = llvm::map_to_vector(tensorOf(param.getType()).getShape(),
                                   [](int64_t extent) { return extent + 1; });
  return llvm::all_of(step.getOptimizerOf(param.getSymNameAttr()).getMomentsOf(shape),
                      [&](const Moment &moment) { return moment.shape == shape; });
}

/// Whether memory is seen in another order of the whole dimensions, or as it is.
static bool hasWholeDimensions(StateOpInterface state) {
  std::optional<OutsideOrder> outside = OutsideOrder::of(state);
  return !outside || (outside->shape.empty() &&
                      ArrayRef(outside->parts) == tensorOf(state.getType()).getShape());
}

/// Rules may look at rows: the first dimension stays the first.
bool Absorption::mayTake(State &state, const Reordering &reordering) {
  ArrayRef<int64_t> shape = tensorOf(state.op.getType()).getShape();
  bool isWhole = ArrayRef(reordering.parts) == shape;
  if (!state.canChange || !hasWholeDimensions(state.op) ||
      (!isWhole && state.op->hasAttr(OutsideOrder::key)))
    return false;
  if (isWhole && reordering.order.front() != 0)
    return false;
  auto param = dyn_cast<train::ParamOp>(*state.op);
  return !param || llvm::all_of(model.getOps<train::StepOp>(),
                                [&](train::StepOp step) { return keepsMomentsOf(step, param); });
}

/// Whether every use asks for one order, which is then that of the state.
bool Absorption::agree(State &state) {
  state.reordering.reset();
  for (BlockArgument argument : state.arguments)
    for (OpOperand &use : argument.getUses()) {
      auto [claim, reordering] = claimed.lookup(&use);
      if (!reordering || !claims[claim].holds ||
          (state.reordering && !(*state.reordering == *reordering)))
        return false;
      state.reordering = *reordering;
    }
  return !state.reordering || mayTake(state, *state.reordering);
}

/// Drops claims until those that are left hold together.
void Absorption::settle() {
  DenseSet<Value> arguments;
  for (auto &[name, state] : states)
    arguments.insert_range(state.arguments);
  for (auto [number, claim] : llvm::enumerate(claims))
    for (auto &[use, reordering] : claim.needs)
      if (!arguments.contains(use->get()) ||
          !claimed.try_emplace(use, number, &reordering).second) // between two images
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

void Absorption::apply(State &state) {
  auto [parts, order] = *state.reordering;
  auto type = tensorOf(state.op.getType());
  bool isWhole = ArrayRef(parts) == type.getShape();
  SmallVector<int64_t> seen = inversePermutation(order);
  if (std::optional<OutsideOrder> before = OutsideOrder::of(state.op))
    seen = permuted(seen, before->order);
  OutsideOrder outside{seen, permuted(parts, order), {}};
  if (!isWhole)
    outside.shape = llvm::to_vector(type.getShape());
  auto inside = isWhole ? type.clone(outside.parts) : type;
  state.op->setAttr("type", TypeAttr::get(inside));
  outside.attachTo(state.op);
  for (BlockArgument argument : state.arguments)
    argument.setType(inside);
}

void Absorption::run() {
  findStates();
  for (auto func : model.getOps<train::FuncOp>())
    findClaims(func);
  settle();
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
  /// Scalar code of ops is looked at.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<kernel::KernelDialect>();
  }
  void runOnOperation() override {
    for (auto model : getOperation().getOps<train::ModelOp>())
      Absorption(model).run();
  }
};
} // namespace
