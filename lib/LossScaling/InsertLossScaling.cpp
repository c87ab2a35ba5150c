// Dynamic loss scaling of steps whose backward pass holds f16, and the check of all steps for
// gradients that are not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/LossScaling/Passes.h"
#include "ampc/Precision/Profile.h"
#include "ampc/Support/Text.h"
#include "lib/LossScaling/StepGuard.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
#define GEN_PASS_DEF_AMPINSERTLOSSSCALING
#include "ampc/LossScaling/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static RankedTensorType scalarOf(Type element) { return RankedTensorType::get({}, element); }

namespace {
/// A loss scale and the programs that share the scale's state.
struct Scaler {
  std::string name; ///< prefix of state names, e.g. `scaler` of `scaler.scale`
  amp::ScalingAttr scaling;
  SetVector<StringAttr> steps;
  SmallVector<train::FuncOp> programs;

  bool isShared() const { return steps.size() > 1; }
  bool hasPatience() const { return scaling.getHysteresis() > 1; }
};

/// Adds the state and the ops of a scaler to a single program.
class Insertion {
public:
  Insertion(train::FuncOp func, const Scaler &scaler)
      : func(func), scaler(scaler), body(func.getBody().front()), builder(func.getContext()),
        b(builder, func.getLoc(), scalingOrigin(func)), guard(func) {}
  void run() {
    scale = state("scale", builder.getF32Type());
    SmallVector<Value> counts = guard.isApply() ? guard.countGradients() : unscaleGradients();
    found = guard.guard(counts, train::NonFinite::skip);
    builder.setInsertionPoint(body.getTerminator());
    if (!func.is(train::Role::Grad))
      finishStep();
    func->setAttr("amp.scale",
                  FlatSymbolRefAttr::get(builder.getContext(), scaler.name + ".scale"));
  }

private:
  Value state(StringRef kind, Type element) {
    return Signature(func).addState(scaler.name + "." + kind.str(), scalarOf(element));
  }
  SmallVector<Value> unscaleGradients();
  /// Result 0: the gradient in f32 divided by the scale, e.g. `f16 -> f32`. Result 1: count of
  /// elements that are not finite, i64.
  amp::UnscaleOp unscale(Value scaled);
  void finishStep();
  Value integer(int64_t value) { return b.real(double(value), scalarOf(builder.getI32Type())); }

  train::FuncOp func;
  const Scaler &scaler;
  Block &body;
  OpBuilder builder;
  GradBuilder b;
  StepGuard guard;
  Value scale, found;
};
} // namespace

amp::UnscaleOp Insertion::unscale(Value scaled) {
  auto type = cast<RankedTensorType>(scaled.getType());
  GradBuilder of(builder, scaled.getLoc(), originOfReader(scaled));
  Value mark = of.op<amp::MarkScaledOp>(amp::ScaledType::get(builder.getContext(), type), scaled);
  Type wide = type.getElementType().isF64() ? type.getElementType() : builder.getF32Type();
  Value unscaled =
      of.op<amp::UnscaleOp>(type.clone(wide), scalarOf(builder.getI64Type()), mark, scale);
  return unscaled.getDefiningOp<amp::UnscaleOp>();
}

SmallVector<Value> Insertion::unscaleGradients() {
  SmallVector<Value> counts;
  for (auto seed : llvm::to_vector(body.getOps<train::SeedOp>())) {
    builder.setInsertionPointAfter(seed);
    GradBuilder of(builder, seed.getLoc(), scalingOrigin(func).withStage(train::Stage::Backward));
    Value factor = of.castTo(scale, seed.getType().getElementType());
    Value scaled = of.mul(seed.getResult(), factor);
    seed.getResult().replaceAllUsesExcept(scaled, scaled.getDefiningOp());
  }
  DenseSet<Operation *> sums;
  for (auto gradient : llvm::to_vector(body.getOps<train::GradientOp>())) {
    // Updates of rows are unscaled before the segment sum in f32 and counted after the sum: equal
    // indices cannot overflow a sum that is in range without the scale.
    auto sum = gradient.getX().getDefiningOp<RowSumsOpInterface>();
    if (sum && sum.getRowNumbers()) {
      builder.setInsertionPoint(sum);
      OpOperand &updates = sum.getUpdatesMutable();
      if (sums.insert(sum).second)
        updates.set(unscale(updates.get()).getResult());
      counts.push_back(guard.countIn(gradient));
      continue;
    }
    builder.setInsertionPointAfter(gradient);
    amp::UnscaleOp unscaled = unscale(gradient);
    gradient.getResult().replaceAllUsesExcept(unscaled.getResult(),
                                              unscaled.getX().getDefiningOp());
    counts.push_back(unscaled.getNonfinite());
  }
  return counts;
}

/// Update of the scale, once per round. A round is a run of every step that shares the scale, e.g.
/// generator and discriminator.
void Insertion::finishStep() {
  using train::ComparePredicate;
  Type i32 = builder.getI32Type();
  Value bad = found, isLast, good = state("good_steps", i32);
  Value left = scaler.hasPatience() ? state("left", i32) : Value(integer(1));
  if (scaler.isShared()) {
    Value arrived = b.add(state("arrived", i32), integer(1)), pending = state("pending", i32);
    bad = b.select(found, found, b.compare(ComparePredicate::ne, pending, integer(0)));
    isLast = b.compare(ComparePredicate::ge, arrived, integer(scaler.steps.size()));
    Value noted = b.select(bad, integer(1), integer(0));
    Signature(func).addStateResult(b.select(isLast, integer(0), arrived), scaler.name + ".arrived");
    Signature(func).addStateResult(b.select(isLast, integer(0), noted), scaler.name + ".pending");
  }
  auto update =
      amp::UpdateScaleOp::create(builder, func.getLoc(), scale, good, left, bad, scaler.scaling);
  b.stamp(update);
  auto give = [&](Value now, Value old, StringRef kind) {
    Signature(func).addStateResult(isLast ? b.select(isLast, now, old) : now,
                                   scaler.name + "." + kind.str());
  };
  give(update.getNewScale(), scale, "scale");
  give(update.getNewGoodSteps(), good, "good_steps");
  if (scaler.hasPatience())
    give(update.getNewLeft(), left, "left");
}

/// Values that depend on the operand: results of the op; inside and behind a loop, copies of the
/// operand.
static SmallVector<Value> dependentsOf(OpOperand &use) {
  Operation *user = use.getOwner();
  return llvm::to_vector_of<Value>(isLoopBoundary(user) ? ValueRange(flowsTo(use))
                                                        : ValueRange(user->getResults()));
}

/// Whether an op that depends on the cotangent of the loss, inside a loop or not, reads or writes
/// f16.
static bool hasNarrowGradients(train::FuncOp func) {
  auto isHalf = [](Value v) { return getElementTypeOrSelf(v).isF16(); };
  DenseSet<Value> seen;
  SmallVector<Value> open;
  for (auto seed : func.getBody().front().getOps<train::SeedOp>())
    open.push_back(seed);
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<train::GradientOp>(user))
        continue;
      SmallVector<Value> dependents = dependentsOf(use);
      if (llvm::any_of(dependents, isHalf) ||
          (!isLoopBoundary(user) && llvm::any_of(user->getOperands(), isHalf)))
        return true;
      for (Value v : dependents)
        if (seen.insert(v).second)
          open.push_back(v);
    }
  return false;
}

static void declare(train::ModelOp model, const Scaler &scaler) {
  OpBuilder builder = OpBuilder::atBlockBegin(&model.getBody().front());
  if (!model.getBody().front().getOps<train::FuncOp>().empty())
    builder.setInsertionPoint(*model.getOps<train::FuncOp>().begin());
  auto add = [&](StringRef kind, Type element, double value) {
    Attribute init = train::FillAttr::get(builder.getContext(), APFloat(value));
    train::BufferOp::create(builder, model.getLoc(), scaler.name + "." + kind.str(),
                            scalarOf(element), init, train::StateRole::Scale);
  };
  Type i32 = builder.getI32Type();
  add("scale", builder.getF32Type(), scaler.scaling.getInitial().convertToDouble());
  add("good_steps", i32, 0);
  if (scaler.hasPatience())
    add("left", i32, scaler.scaling.getHysteresis());
  if (scaler.isShared()) {
    add("arrived", i32, 0);
    add("pending", i32, 0);
  }
}

namespace {
struct AmpInsertLossScaling : ampc::impl::AmpInsertLossScalingBase<AmpInsertLossScaling> {
  using AmpInsertLossScalingBase::AmpInsertLossScalingBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(insert(model)))
        return signalPassFailure();
  }

private:
  LogicalResult insert(train::ModelOp model) {
    amp::ScalingAttr standard;
    if (scaling != "none" && !(standard = amp::ScalingAttr::getPreset(&getContext(), scaling)))
      return model.emitError() << "expected loss scaling none, "
                               << joinWords(amp::ScalingAttr::getPresetNames()) << ", but got "
                               << shown(scaling);
    llvm::StringSet<> needed;
    for (auto func : model.getOps<train::FuncOp>())
      if (func.getStep() && hasNarrowGradients(func))
        needed.insert(*func.getStep());
    llvm::MapVector<StringAttr, Scaler> scalers;
    SmallVector<train::FuncOp> unscaled;
    for (auto func : model.getOps<train::FuncOp>())
      if (failed(collect(model, func, standard, needed, scalers, unscaled)))
        return failure();
    for (train::FuncOp func : unscaled) {
      StepGuard guard(func);
      guard.guard(guard.countGradients(), train::NonFinite::allow);
    }
    for (auto &[name, scaler] : scalers) {
      if (failed(chooseScale(model, scaler)))
        return failure();
      for (train::FuncOp func : scaler.programs)
        Insertion(func, scaler).run();
      declare(model, scaler);
    }
    return success();
  }

  LogicalResult chooseScale(train::ModelOp model, Scaler &scaler);
  LogicalResult collect(train::ModelOp model, train::FuncOp func, amp::ScalingAttr standard,
                        const llvm::StringSet<> &needed,
                        llvm::MapVector<StringAttr, Scaler> &scalers,
                        SmallVectorImpl<train::FuncOp> &unscaled) {
    StringAttr step = func.getStepAttr();
    if (!step ||
        !(func.is(train::Role::Train) || func.is(train::Role::Grad) || func.is(train::Role::Apply)))
      return success();
    auto given = func->getAttrOfType<FlatSymbolRefAttr>("amp.scaler");
    auto declared = given ? model.lookupSymbol<amp::ScalerOp>(given.getAttr()) : amp::ScalerOp();
    if (given && !declared)
      return func.emitError() << "expected a scaler, but " << given << " is none";
    auto leaveOut = [&](const char *why) {
      func->setAttr("amp.no_scaling", StringAttr::get(&getContext(), why));
      unscaled.push_back(func);
      if (func.is(train::Role::Train) && (given || explain))
        func.emitRemark() << "no loss scaling for step @" << step.getValue() << ": " << why;
      return success();
    };
    if (!needed.contains(step.getValue()))
      return leaveOut("no f16 value lies between loss and gradients");
    if (!given && !standard)
      return leaveOut("loss scaling is switched off");
    Scaler &scaler = scalers[given ? given.getAttr() : step];
    scaler.name = given ? given.getValue().str() : step.str();
    scaler.scaling = declared ? declared.getScaling() : standard;
    scaler.steps.insert(step);
    scaler.programs.push_back(func);
    return success();
  }
};
} // namespace

/// Initial scale from a profile, clamped to the scaler's floor and cap; growth and backoff stay as
/// declared.
LogicalResult AmpInsertLossScaling::chooseScale(train::ModelOp model, Scaler &scaler) {
  if (profile.empty())
    return success();
  llvm::Expected<Profile> measured = Profile::read(profile);
  if (!measured)
    return model.emitError() << llvm::toString(measured.takeError());
  SmallVector<const StepProfile *> known;
  for (StringAttr step : scaler.steps)
    if (const StepProfile *found = measured->find(step))
      known.push_back(found);
  if (known.empty())
    return success();
  // Gradients of parameters are rounded under the policy `autocast` only.
  bool areRounded = llvm::any_of(scaler.programs, [](train::FuncOp func) {
    return llvm::any_of(func.getOps<train::GradientOp>(), [](train::GradientOp gradient) {
      auto cast = gradient.getX().getDefiningOp<train::CastOp>();
      return cast && getElementTypeOrSelf(cast->getOperand(0)).isF16();
    });
  });
  amp::ScalingAttr old = scaler.scaling;
  double scale = known.front()->lossScale(areRounded);
  for (const StepProfile *step : known)
    scale = std::min(scale, step->lossScale(areRounded));
  scale = old.withinLimits(scale);
  scaler.scaling = amp::ScalingAttr::get(&getContext(), old.getDynamic(), APFloat(scale),
                                         old.getGrowth(), old.getInterval(), old.getBackoff(),
                                         old.getFloor(), old.getCap(), old.getHysteresis());
  if (explain)
    model.emitRemark() << "the loss scale of " << scaler.name << " starts at " << int64_t(scale)
                       << ": chosen from " << profile;
  return success();
}
