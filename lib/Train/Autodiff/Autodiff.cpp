// Reverse-mode differentiation, source to source. The gradient function holds forward and backward
// code, so what adjoints use of the forward pass are plain SSA uses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/Mode.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Signature.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINAUTODIFF
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static bool isReal(Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); }
static bool isNarrow(Value v) {
  return isReal(v) && getElementTypeOrSelf(v).getIntOrFloatBitWidth() == 16;
}

/// Whether results change with the operands as far as derivatives go. What is behind an op that
/// stops gradients is constant, so that ops without a derivative are welcome there.
static bool isVaried(Operation *op, const DenseSet<Value> &varied) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  return !(rule && rule.stopsGradient()) &&
         llvm::any_of(op->getOperands(), [&](Value v) { return varied.contains(v); });
}

namespace {
/// Differentiates one block for `sources`.
class Reverse {
public:
  Reverse(Block &body, ArrayRef<Value> sources, OpBuilder &builder)
      : body(body), builder(builder), varied(sources.begin(), sources.end()) {
    for (Operation &op : body)
      if (isVaried(&op, varied))
        for (Value result : op.getResults())
          if (isReal(result))
            varied.insert(result);
  }
  /// Appends the backward code, from `seed` as the cotangent of `value`.
  LogicalResult run(Value value, Value seed, ArrayRef<Operation *> forward);
  Value gradient(Value source) const { return cotangents.lookup(source); }
  /// Whether the value is on the way to the loss. Without a gradient its derivative is 0, as
  /// behind a floor.
  bool reaches(Value source) const { return reaching.contains(source); }

private:
  LogicalResult apply(Operation *op);
  LogicalResult checkSaves(DifferentiableOpInterface op, Operation *firstNew,
                           ArrayRef<Value> given);
  LogicalResult reportPath(Operation *op);
  void accumulate(Value operand, Value adjoint, GradBuilder &b);

  Block &body;
  OpBuilder &builder;
  DenseSet<Value> varied;
  DenseSet<Value> reaching;          // varied values that the loss is computed from
  DenseMap<Value, Value> cotangents; // of those whose derivative is not 0 everywhere
};
} // namespace

LogicalResult Reverse::run(Value value, Value seed, ArrayRef<Operation *> forward) {
  cotangents[value] = seed;
  reaching.insert(value);
  for (Operation *op : llvm::reverse(forward)) {
    auto isIn = [&](const auto &known) {
      return llvm::any_of(op->getResults(), [&](Value result) { return known.contains(result); });
    };
    if (!isVaried(op, varied) || !isIn(reaching))
      continue;
    for (Value operand : op->getOperands())
      if (varied.contains(operand))
        reaching.insert(operand);
    if (isIn(cotangents) && failed(apply(op)))
      return failure();
  }
  return success();
}

/// Whether the code of an adjoint, from `first` on, rounds a number to 16 bits and computes on.
/// Contractions read 16 bits on purpose.
static bool roundsInside(Operation *op, Operation *first, ArrayRef<Value> adjoints) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (precision && precision.getCategory() == Category::LowPrecision)
    return false;
  auto isSummed = [](Value operand, Value adjoint) {
    return cast<RankedTensorType>(adjoint.getType()).getShape() !=
           cast<RankedTensorType>(operand.getType()).getShape();
  };
  for (Operation *made = first; made; made = made->getNextNode()) {
    if (made->hasTrait<OpTrait::ConstantLike>() || movesOnly(made))
      continue;
    for (Value result : made->getResults()) {
      bool isInner = !result.use_empty();
      for (auto [operand, adjoint] : llvm::zip(op->getOperands(), adjoints))
        isInner |= adjoint == result && isSummed(operand, adjoint);
      if (isInner && isNarrow(result))
        return true;
    }
  }
  return false;
}

/// The adjoints of the op as it would be on operands in f32: its numbers are not rounded.
static SmallVector<Value> wideAdjoints(Operation *op, GradBuilder &b, ArrayRef<Value> given) {
  Type f32 = b.builder.getF32Type();
  auto widen = [&](Value v) { return v && isNarrow(v) ? b.castTo(v, f32) : v; };
  auto operands = llvm::map_to_vector(op->getOperands(), widen);
  auto results = llvm::map_to_vector(op->getResults(), widen);
  auto cotangents = llvm::map_to_vector(given, widen);
  Operation *wide = b.builder.clone(*op);
  wide->setOperands(operands);
  for (auto [from, to] : llvm::zip(results, wide->getResults()))
    to.setType(from.getType());
  SmallVector<Value> adjoints = cast<DifferentiableOpInterface>(wide).buildAdjoints(b, cotangents);
  wide->replaceAllUsesWith(results);
  wide->erase();
  return adjoints;
}

LogicalResult Reverse::apply(Operation *op) {
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule || !rule.isDifferentiable())
    return reportPath(op);
  GradBuilder b(builder, op->getLoc(), originOf(op).differentiated());
  SmallVector<Value> given =
      llvm::map_to_vector(op->getResults(), [&](Value v) { return cotangents.lookup(v); });
  Operation *last = &body.back();
  SmallVector<Value> adjoints = rule.buildAdjoints(b, given);
  Operation *first = last->getNextNode();
  if (first && failed(checkSaves(rule, first, given)))
    return failure();
  if (roundsInside(op, first, adjoints)) {
    while (&body.back() != last)
      body.back().erase();
    adjoints = wideAdjoints(op, b, given);
  }
  for (auto [operand, adjoint] : llvm::zip(op->getOperands(), adjoints))
    if (adjoint && varied.contains(operand))
      accumulate(operand, adjoint, b);
  return success();
}

void Reverse::accumulate(Value operand, Value adjoint, GradBuilder &b) {
  adjoint = b.reduceTo(adjoint, operand.getType());
  adjoint = b.castTo(adjoint, getElementTypeOrSelf(operand));
  Value &sum = cotangents[operand];
  if (!sum) {
    sum = adjoint;
    return;
  }
  sum = b.add(sum, adjoint);
  sum.getDefiningOp()->setAttr("train.fan_in",
                               b.builder.getUnitAttr()); // partial sums are not rounded
}

/// An adjoint may use its cotangents, what it builds itself, and what the op declares as saved.
LogicalResult Reverse::checkSaves(DifferentiableOpInterface op, Operation *firstNew,
                                  ArrayRef<Value> given) {
  Saves saves = op.getSaves();
  for (Operation *made = firstNew; made; made = made->getNextNode())
    for (Value used : made->getOperands()) {
      bool isNew = used.getDefiningOp() && !used.getDefiningOp()->isBeforeInBlock(firstNew);
      if (isNew || llvm::is_contained(given, used))
        continue;
      bool allowed = saves.result() && used.getDefiningOp() == op.getOperation();
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        allowed |= used == operand && saves.operand(i);
      if (!allowed)
        return op->emitOpError() << "expected its adjoint to use only declared saves, but it uses "
                                 << used;
    }
  return success();
}

/// The way from a parameter to the op, by names.
LogicalResult Reverse::reportPath(Operation *op) {
  SmallVector<std::string> path{nameOf(op)};
  for (Operation *at = op; at;) {
    Value next = *llvm::find_if(at->getOperands(), [&](Value v) { return varied.contains(v); });
    at = next.getDefiningOp();
    if (at) {
      path.push_back(nameOf(at));
    } else {
      auto func = cast<train::FuncOp>(body.getParentOp());
      unsigned number = cast<BlockArgument>(next).getArgNumber();
      StringAttr state = Signature(func).stateArgument(number);
      path.push_back(state ? "@" + state.str() : "argument " + std::to_string(number));
    }
  }
  std::string text = llvm::join(llvm::reverse(path), " -> ");
  return op->emitOpError() << "expected a differentiable op on an active path, but " << text
                           << " reaches the loss (use train.stop_gradient to cut it)";
}

/// Adjoint code for inactive operands has no users.
static void eraseDeadCode(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Ops on an active path that have no rule of their own become those that they are made of:
/// gradients that are one op, when they are differentiated in turn.
static void decomposeActive(Block &body, ArrayRef<Value> sources) {
  DenseSet<Value> varied(sources.begin(), sources.end());
  for (Operation *op = &body.front(), *next; op; op = next) {
    next = op->getNextNode();
    if (!isVaried(op, varied))
      continue;
    auto composite = dyn_cast<CompositeOpInterface>(op);
    if (!composite || (isa<DifferentiableOpInterface>(op) && !composite.isComposite())) {
      varied.insert(op->result_begin(), op->result_end());
      continue;
    }
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    GradBuilder b(builder, op);
    op->replaceAllUsesWith(composite.decompose(b));
    op->erase();
    next = before ? before->getNextNode() : &body.front();
  }
}

static Value makeSeed(OpBuilder &builder, Value value) {
  auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(value));
  GradBuilder b(builder, value.getLoc(), originOf(value).withStage(train::Stage::Backward));
  return b.broadcastTo(b.op<train::SeedOp>(scalar, builder.getF64FloatAttr(1.0)), value.getType());
}

/// Gives `func` the gradients of `sources` as results after the first `keep`, the others moved
/// behind them.
static LogicalResult addGradients(train::FuncOp func, unsigned result, ArrayRef<Value> sources,
                                  ArrayRef<StringRef> names) {
  Block &body = func.getBody().front();
  decomposeActive(body, sources);
  Operation *ret = body.getTerminator();
  SmallVector<Value> results(ret->getOperands());
  ret->erase();
  auto forward = llvm::map_to_vector(body, [](Operation &op) { return &op; });
  OpBuilder builder(func.getContext());
  builder.setInsertionPointToEnd(&body);
  Value value = results[result];
  Reverse reverse(body, sources, builder);
  if (failed(reverse.run(value, makeSeed(builder, value), forward)))
    return failure();
  SmallVector<Value> gradients;
  for (auto [source, name] : llvm::zip(sources, names)) {
    Value g = reverse.gradient(source);
    GradBuilder b(
        builder, source.getLoc(),
        train::OriginAttr::get(builder.getStringAttr(name + ".gradient"), train::Stage::Backward));
    if (!g) {
      if (func.getStep() && !reverse.reaches(source))
        return func.emitError() << "expected the loss of step @" << *func.getStep()
                                << " to depend on @" << name << ", but it does not";
      g = b.broadcastTo(b.real(0.0, source), source.getType());
    }
    gradients.push_back(func.getStep() ? b.op<train::GradientOp>(g, name) : g);
  }
  train::ReturnOp::create(builder, func.getLoc(), results);
  for (auto [name, gradient] : llvm::zip(names, gradients))
    Signature(func).addResult(
        gradient, train::GradientAttr::get(func.getContext(),
                                           FlatSymbolRefAttr::get(func.getContext(), name), false));
  eraseDeadCode(body);
  return success();
}

namespace {
struct TrainAutodiff : ampc::impl::TrainAutodiffBase<TrainAutodiff> {
  using TrainAutodiffBase::TrainAutodiffBase;
  void runOnOperation() override {
    if (failed(checkIsFlat(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(of.empty() ? differentiateSteps(model) : differentiateFunction(model)))
        return signalPassFailure();
  }

private:
  LogicalResult differentiateFunction(train::ModelOp model) {
    auto source = model.lookupSymbol<train::FuncOp>(of);
    if (!source || result >= source.getNumResults())
      return model.emitError() << "expected a function named " << of << " with a result " << result;
    OpBuilder builder(source);
    builder.setInsertionPointAfter(source);
    auto func = cast<train::FuncOp>(builder.clone(*source));
    func.setSymName(of + ".grad");
    SmallVector<Value> sources;
    SmallVector<StringRef> names;
    for (BlockArgument argument : func.getBody().getArguments())
      if (isReal(argument)) {
        sources.push_back(argument);
        auto input = Signature(func).argument<train::InputAttr>(argument);
        names.push_back(input ? input.getName().getValue() : "argument");
      }
    return addGradients(func, result, sources, names);
  }
  LogicalResult differentiateSteps(train::ModelOp model) {
    for (auto step : model.getOps<train::StepOp>()) {
      auto func = model.lookupSymbol<train::FuncOp>((step.getSymName() + ".loss").str());
      if (!func)
        return step->emitOpError() << "expected train-instantiate to have run";
      func.setSymName((step.getSymName() + ".grad").str());
      func.setRole(train::Role::Grad);
      SmallVector<Value> sources;
      SmallVector<StringRef> names;
      for (Attribute param : step.getParams()) {
        names.push_back(cast<FlatSymbolRefAttr>(param).getValue());
        BlockArgument source = Signature(func).findState(names.back());
        if (!source)
          return step.emitOpError()
                 << "expected the loss to depend on @" << names.back() << ", but it does not";
        sources.push_back(source);
      }
      if (failed(addGradients(func, 0, sources, names)))
        return failure();
    }
    return success();
  }
};
} // namespace
