// State lies in the order that its transpositions give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Step/BatchAnalysis.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/GradBuilder.h"
#include "mlir-dialects/Train/Outside.h"
#include "mlir-dialects/Train/Signature.h"
#include "mlir-dialects/Train/Tensors.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINABSORBTRANSPOSES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;
using Dims = SmallVector<int64_t>;

namespace {
/// What becomes of a state: its dimensions in these parts, in another order.
struct Reordering {
  Dims parts, order;
  bool operator==(const Reordering &other) const {
    return parts == other.parts && order == other.order;
  }
};

/// A transposition that goes if every state it needs takes another order.
struct Claim {
  train::TransposeOp transpose;
  OpOperand *flat; ///< of a product, which gets the transposed tensor as it was; or null
  SmallVector<std::pair<OpOperand *, Reordering>> needs;
  bool holds = true;
};
} // namespace

/// The parts of one dimension, of which there are `rank`, in an order of their own.
static Reordering within(ArrayRef<int64_t> shape, int64_t dim, ArrayRef<int64_t> parts,
                         ArrayRef<int64_t> order) {
  Reordering result;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    int64_t first = result.parts.size();
    if (i != dim) {
      result.parts.push_back(shape[i]);
      result.order.push_back(first);
      continue;
    }
    llvm::append_range(result.parts, parts);
    for (int64_t part : order)
      result.order.push_back(first + part);
  }
  return result;
}

/// The number of leading dimensions that a reshape leaves alone while it makes all others one; -1
/// for any other reshape.
static int64_t keptBy(ArrayRef<int64_t> parts, ArrayRef<int64_t> flat) {
  int64_t kept = int64_t(flat.size()) - 1;
  bool isFlat = kept >= 0 && int64_t(parts.size()) > kept + 1 &&
                llvm::equal(parts.take_front(kept), flat.take_front(kept));
  return isFlat ? kept : -1;
}

/// How the dimensions behind the first `kept` change places among themselves.
static std::optional<Dims> orderBehind(ArrayRef<int64_t> permutation, int64_t kept) {
  Dims order;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    if (int64_t(i) < kept ? dim != int64_t(i) : dim < kept)
      return std::nullopt;
    if (int64_t(i) >= kept)
      order.push_back(dim - kept);
  }
  return order;
}

/// A product reads a tensor that was transposed and made flat: the weights take the order before.
static void claimFlattened(train::TransposeOp transpose, SmallVectorImpl<Claim> &claims) {
  for (Operation *user : transpose->getUsers()) {
    auto reshape = dyn_cast<train::ReshapeOp>(user);
    ArrayRef<int64_t> parts = transpose.getType().getShape();
    int64_t kept = reshape ? keptBy(parts, reshape.getType().getShape()) : -1;
    auto order = kept < 0 ? std::nullopt : orderBehind(transpose.getPermutation(), kept);
    if (!order)
      continue;
    for (OpOperand &use : reshape->getUses()) {
      auto product = dyn_cast<train::MatmulOp>(use.getOwner());
      if (!product || use.getOperandNumber() != 0 || product.getTransposeLhs() ||
          product.getRhs().getType().getRank() != 2)
        continue;
      ArrayRef<int64_t> weights = product.getRhs().getType().getShape();
      Reordering columns = within(weights, product.getTransposeRhs(), parts.drop_front(kept),
                                  inversePermutation(*order));
      claims.push_back({transpose, &use, {{&product.getRhsMutable(), columns}}});
    }
  }
}

// ---- Features that take the form of an image ----

/// Every element is computed from those at its place alone.
static bool isPointwise(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return scalar && op->getNumResults() == 1 && !isa<RandomOpInterface>(op) &&
         !looksAlongRow(scalar);
}

/// What has to change for the last dimension of a value to have its parts in another order; false
/// if that is not possible by other values.
static bool reorderLast(Value value, ArrayRef<int64_t> parts, ArrayRef<int64_t> order,
                        Claim &claim) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return false;
  auto addState = [&](OpOperand &use, int64_t dim) {
    claim.needs.push_back({&use, within(tensorOf(use.get()).getShape(), dim, parts, order)});
  };
  if (auto product = dyn_cast<train::MatmulOp>(op)) {
    addState(product.getRhsMutable(), !product.getTransposeRhs());
    return product.getRhs().getType().getRank() == 2;
  }
  return isPointwise(op) && llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
           ArrayRef<int64_t> shape = tensorOf(use.get()).getShape();
           if (shape == tensorOf(value).getShape())
             return reorderLast(use.get(), parts, order, claim);
           if (!shape.empty() && shape.back() != 1)
             addState(use, shape.size() - 1);
           return true;
         });
}

/// The last dimension of a tensor becomes several, which are transposed.
static void claimUnflattened(train::TransposeOp transpose, SmallVectorImpl<Claim> &claims) {
  auto reshape = transpose.getX().getDefiningOp<train::ReshapeOp>();
  if (!reshape || !reshape->hasOneUse())
    return;
  ArrayRef<int64_t> parts = reshape.getType().getShape();
  int64_t kept = keptBy(parts, reshape.getX().getType().getShape());
  auto order = kept < 0 ? std::nullopt : orderBehind(transpose.getPermutation(), kept);
  Claim claim{transpose, nullptr, {}};
  if (order && reorderLast(reshape.getX(), parts.drop_front(kept), *order, claim))
    claims.push_back(std::move(claim));
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
  void apply(Claim &claim);
  void apply(State &state);

  train::ModelOp model;
  llvm::MapVector<StringAttr, State> states;
  SmallVector<Claim> claims;
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
  for (auto transpose : func.getOps<train::TransposeOp>()) {
    auto argument = dyn_cast<BlockArgument>(transpose.getX());
    if (argument && signature.stateArgument(argument.getArgNumber())) {
      Reordering whole{llvm::to_vector(transpose.getX().getType().getShape()),
                       llvm::to_vector(transpose.getPermutation())};
      claims.push_back({transpose, nullptr, {{&transpose.getXMutable(), whole}}});
      continue;
    }
    claimFlattened(transpose, claims);
    claimUnflattened(transpose, claims);
  }
}

/// A rule with moments of another shape, such as those of rows and columns, looks at dimensions.
bool Absorption::keepsMomentsOf(train::StepOp step, train::ParamOp param) {
  ArrayRef<int64_t> shape = tensorOf(param.getType()).getShape();
  return !llvm::is_contained(step.getParams(), FlatSymbolRefAttr::get(param.getSymNameAttr())) ||
         llvm::all_of(step.getOptimizerOf(param.getSymNameAttr()).getMomentsOf(shape),
                      [&](const Moment &moment) { return ArrayRef(moment.shape) == shape; });
}

/// Rules may look at rows: the first dimension stays the first. First values stay those of the
/// shape.
bool Absorption::mayTake(State &state, const Reordering &reordering) {
  if (!state.canChange || state.op->hasAttr(OutsideOrder::key))
    return false;
  ArrayRef<int64_t> shape = tensorOf(state.op.getType()).getShape();
  if (ArrayRef(reordering.parts) == shape) {
    Initializer before = state.op.getInit().getInitializer(shape),
                after = state.op.getInit().getInitializer(permuted(shape, reordering.order));
    if (reordering.order.front() != 0 || before.kind != after.kind || before.a != after.a ||
        before.b != after.b)
      return false;
  }
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

void Absorption::apply(Claim &claim) {
  IRRewriter rewriter(model.getContext());
  train::TransposeOp transpose = claim.transpose;
  if (!claim.flat && isa<BlockArgument>(transpose.getX()))
    return rewriter.replaceOp(transpose, transpose.getX());
  Operation *at = claim.flat ? claim.flat->getOwner() : transpose.getOperation();
  Value from =
      claim.flat ? transpose.getX() : transpose.getX().getDefiningOp<train::ReshapeOp>().getX();
  OpBuilder builder(at);
  GradBuilder b(builder, at);
  if (claim.flat)
    claim.flat->set(b.reshape(from, claim.flat->get().getType()));
  else
    transpose.replaceAllUsesWith(b.reshape(from, transpose.getType()));
}

void Absorption::apply(State &state) {
  auto [parts, order] = *state.reordering;
  auto type = tensorOf(state.op.getType());
  bool isWhole = ArrayRef(parts) == type.getShape();
  OutsideOrder outside{inversePermutation(order), permuted(parts, order), {}};
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
  for (Claim &claim : claims)
    if (claim.holds)
      apply(claim);
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
