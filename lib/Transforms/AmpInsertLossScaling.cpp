// Dynamic loss scaling of steps whose backward pass holds f16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AmpCasts.h"
#include "AmpScaleLimits.h"
#include "ampc/Support/Text.h"
#include "ampc/Transforms/Passes.h"
#include "ampc/Transforms/Profile.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
#define GEN_PASS_DEF_AMPINSERTLOSSSCALING
#include "ampc/Transforms/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

static RankedTensorType scalarOf(Type element) { return RankedTensorType::get({}, element); }

namespace {
/// One loss scale and the programs that use it.
struct Scaler {
  std::string name; ///< prefix of its slots
  amp::ScalingAttr scaling;
  SetVector<StringAttr> steps;
  SmallVector<train::FuncOp> programs;

  bool isShared() const { return steps.size() > 1; }
  bool hasPatience() const { return scaling.getHysteresis() > 1; }
};

/// Adds a scaler's state and ops to one program.
class Insertion {
public:
  Insertion(train::FuncOp func, const Scaler &scaler)
      : func(func), scaler(scaler), body(func.getBody().front()), builder(func.getContext()),
        b(builder, func.getLoc()) {}
  void run() {
    StringRef role = func->getAttrOfType<StringAttr>("train.role").getValue();
    scale = state("scale", builder.getF32Type());
    SmallVector<Value> flags = role == "apply" ? checkStored() : unscaleGradients();
    // As early as possible: what writes rows asks before it writes.
    Operation *last = &body.front();
    for (Value flag : flags)
      if (last->isBeforeInBlock(flag.getDefiningOp()))
        last = flag.getDefiningOp();
    builder.setInsertionPointAfter(last);
    found = amp::AnyOp::create(builder, func.getLoc(), flags);
    guardState();
    if (role != "grad")
      finishStep();
    func->setAttr("amp.scale_slot", builder.getStringAttr(scaler.name + ".scale"));
  }

private:
  Value slotArgument(StringRef slot, Type type);
  Value state(StringRef kind, Type element) {
    return slotArgument(scaler.name + "." + kind.str(), scalarOf(element));
  }
  void addResult(Value value, StringRef key, StringRef name);
  SmallVector<Value> checkStored();
  SmallVector<Value> unscaleGradients();
  /// The unscaled form of a value, and whether it was finite.
  amp::UnscaleOp unscale(Value scaled);
  Value nonFinite(Value x) {
    return amp::NonFiniteOp::create(builder, x.getLoc(), scalarOf(builder.getI1Type()), x);
  }
  Value guard(Value value, Value old);
  void guardState();
  void finishStep();
  Value integer(int64_t value) { return b.real(double(value), scalarOf(builder.getI32Type())); }

  train::FuncOp func;
  const Scaler &scaler;
  Block &body;
  OpBuilder builder;
  GradBuilder b;
  Value scale, found;
  DenseMap<Value, Value> guardedRows;
};
} // namespace

Value Insertion::slotArgument(StringRef slot, Type type) {
  unsigned position = 0;
  for (; position < func.getNumArguments(); ++position) {
    auto name = func.getArgAttrOfType<StringAttr>(position, "train.slot");
    if (!name)
      break;
    if (name == slot)
      return func.getArgument(position);
  }
  auto role =
      builder.getDictionaryAttr(builder.getNamedAttr("train.slot", builder.getStringAttr(slot)));
  (void)func.insertArgument(position, type, role, func.getLoc());
  return func.getArgument(position);
}

void Insertion::addResult(Value value, StringRef key, StringRef name) {
  Operation *ret = body.getTerminator();
  ret->insertOperands(ret->getNumOperands(), value);
  (void)func.insertResult(
      func.getNumResults(), value.getType(),
      builder.getDictionaryAttr(builder.getNamedAttr(key, builder.getStringAttr(name))));
}

/// Gradients that `*_grad` stored are unscaled; the caller may have changed them.
SmallVector<Value> Insertion::checkStored() {
  SmallVector<Value> flags;
  SymbolTable symbols(func->getParentOfType<train::ModelOp>());
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : func.getArguments()) {
    auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "train.slot");
    auto buffer = slot ? symbols.lookup<train::BufferOp>(slot) : train::BufferOp();
    if (auto role = buffer ? buffer->getAttrOfType<StringAttr>("role") : StringAttr();
        role && role == "gradient" && isa<FloatType>(getElementTypeOrSelf(argument)))
      flags.push_back(nonFinite(argument));
  }
  return flags;
}

amp::UnscaleOp Insertion::unscale(Value scaled) {
  auto type = cast<RankedTensorType>(scaled.getType());
  Value mark = amp::MarkScaledOp::create(builder, scaled.getLoc(),
                                         amp::ScaledType::get(builder.getContext(), type), scaled);
  return amp::UnscaleOp::create(builder, scaled.getLoc(), type.clone(builder.getF32Type()),
                                scalarOf(builder.getI1Type()), mark, scale);
}

SmallVector<Value> Insertion::unscaleGradients() {
  SmallVector<Value> flags;
  for (auto seed : llvm::to_vector(body.getOps<train::SeedOp>())) {
    builder.setInsertionPointAfter(seed);
    Value factor = b.castTo(scale, seed.getType().getElementType());
    Value scaled = b.mul(seed.getResult(), factor);
    seed.getResult().replaceAllUsesExcept(scaled, scaled.getDefiningOp());
  }
  DenseSet<Operation *> sums;
  for (auto gradient : llvm::to_vector(body.getOps<train::GradientOp>())) {
    // Rows are unscaled before they are added up in f32 and checked after: equal indices cannot
    // overflow what is in range without the scale.
    if (auto sum = gradient.getX().getDefiningOp<train::SumRowsOp>()) {
      builder.setInsertionPoint(sum);
      if (sums.insert(sum).second)
        sum.getUpdatesMutable().assign(unscale(sum.getUpdates()).getResult());
      builder.setInsertionPointAfter(gradient);
      flags.push_back(nonFinite(gradient));
      continue;
    }
    builder.setInsertionPointAfter(gradient);
    amp::UnscaleOp unscaled = unscale(gradient);
    gradient.getResult().replaceAllUsesExcept(unscaled.getResult(),
                                              unscaled.getX().getDefiningOp());
    flags.push_back(unscaled.getFoundInf());
  }
  return flags;
}

/// The value, or the old one if the step is skipped. Rows then go nowhere, so that this costs no
/// pass over their table.
Value Insertion::guard(Value value, Value old) {
  if (value == old)
    return old;
  auto put = value.getDefiningOp<train::PutRowsOp>();
  if (!put || !found.getDefiningOp()->isBeforeInBlock(put))
    return b.select(found, old, value);
  builder.setInsertionPoint(put);
  put.getTableMutable().assign(guard(put.getTable(), old));
  Value index = put.getIndex(), &kept = guardedRows[index];
  if (!kept) {
    builder.setInsertionPointAfterValue(found);
    kept = b.select(found, b.real(-1.0, index), index);
  }
  put.getIndexMutable().assign(kept);
  return put;
}

/// A skipped step returns what it was given. Working copies are made from what the parameters then
/// are.
void Insertion::guardState() {
  Operation *ret = body.getTerminator();
  auto model = func->getParentOfType<train::ModelOp>();
  llvm::StringMap<Value> kept;
  auto slotOf = [&](unsigned i) {
    auto slot = func.getResultAttrOfType<StringAttr>(i, "train.slot");
    return slot ? slot.getValue() : StringRef();
  };
  SymbolTable symbols(model);
  auto bufferOf = [&](StringRef slot) { return symbols.lookup<train::BufferOp>(slot); };
  auto roleOf = [&](StringRef slot) {
    auto buffer = bufferOf(slot);
    auto role = buffer ? buffer->getAttrOfType<StringAttr>("role") : StringAttr();
    return role ? role.getValue() : StringRef();
  };
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    StringRef slot = slotOf(i);
    if (slot.empty() || roleOf(slot) == "gradient" || roleOf(slot) == "working")
      continue;
    Value value = ret->getOperand(i), old = slotArgument(slot, value.getType());
    builder.setInsertionPoint(ret);
    kept[slot] = guard(value, old);
    ret->setOperand(i, kept[slot]);
  }
  builder.setInsertionPoint(ret);
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (StringRef slot = slotOf(i); !slot.empty() && roleOf(slot) == "working") {
      StringRef param = bufferOf(slot)->getAttrOfType<FlatSymbolRefAttr>("of").getValue();
      ret->setOperand(i, insertCast(builder, func.getLoc(), kept[param],
                                    getElementTypeOrSelf(ret->getOperand(i)),
                                    "the working copy of @" + param + ", which later steps read"));
    }
}

/// The scale moves once per round: a round is one run of each step that shares it.
void Insertion::finishStep() {
  using train::ComparePredicate;
  Type i32 = builder.getI32Type();
  Value bad = found, isLast, good = state("good_steps", i32);
  Value left = scaler.hasPatience() ? state("left", i32) : Value(integer(1));
  if (scaler.isShared()) {
    Value arrived = b.add(state("arrived", i32), integer(1)), pending = state("pending", i32);
    bad = amp::AnyOp::create(builder, func.getLoc(),
                             ValueRange{bad, b.compare(ComparePredicate::ne, pending, integer(0))});
    isLast = b.compare(ComparePredicate::ge, arrived, integer(scaler.steps.size()));
    Value noted = b.select(bad, integer(1), integer(0));
    addResult(b.select(isLast, integer(0), arrived), "train.slot", scaler.name + ".arrived");
    addResult(b.select(isLast, integer(0), noted), "train.slot", scaler.name + ".pending");
  }
  auto update =
      amp::UpdateScaleOp::create(builder, func.getLoc(), scale, good, left, bad, scaler.scaling);
  auto give = [&](Value now, Value old, StringRef kind) {
    addResult(isLast ? b.select(isLast, now, old) : now, "train.slot",
              scaler.name + "." + kind.str());
  };
  give(update.getNewScale(), scale, "scale");
  give(update.getNewGoodSteps(), good, "good_steps");
  if (scaler.hasPatience())
    give(update.getNewLeft(), left, "left");
  addResult(found, "train.name", "found_inf");
}

/// Whether a value in f16 depends on the cotangent of the loss.
static bool hasNarrowGradients(train::FuncOp func) {
  DenseSet<Operation *> seen;
  SmallVector<Operation *> open(func.getBody().front().getOps<train::SeedOp>().begin(),
                                func.getBody().front().getOps<train::SeedOp>().end());
  while (!open.empty())
    for (Operation *user : open.pop_back_val()->getUsers()) {
      if (isa<train::GradientOp>(user) || !seen.insert(user).second)
        continue;
      auto isHalf = [](Type type) { return getElementTypeOrSelf(type).isF16(); };
      if (llvm::any_of(user->getResultTypes(), isHalf) ||
          llvm::any_of(user->getOperandTypes(), isHalf))
        return true;
      open.push_back(user);
    }
  return false;
}

static void declare(train::ModelOp model, const Scaler &scaler) {
  OpBuilder builder = OpBuilder::atBlockBegin(&model.getBody().front());
  if (!model.getBody().front().getOps<train::FuncOp>().empty())
    builder.setInsertionPoint(*model.getOps<train::FuncOp>().begin());
  auto add = [&](StringRef kind, Type element, double value) {
    Attribute init = train::FillAttr::get(builder.getContext(), APFloat(value));
    auto buffer = train::BufferOp::create(builder, model.getLoc(), scaler.name + "." + kind.str(),
                                          scalarOf(element), cast<InitAttrInterface>(init));
    buffer->setAttr("role", builder.getStringAttr("scale"));
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
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(insert(model)))
        return signalPassFailure();
  }

private:
  LogicalResult insert(train::ModelOp model) {
    amp::ScalingAttr standard;
    if (scaling != "none" && !(standard = amp::ScalingAttr::getPreset(&getContext(), scaling)))
      return model.emitError() << "expected loss scaling torch, tf, apex, paddle or none, but got "
                               << shown(scaling);
    llvm::StringSet<> needed;
    for (auto func : model.getOps<train::FuncOp>())
      if (auto step = func->getAttrOfType<StringAttr>("train.step");
          step && hasNarrowGradients(func))
        needed.insert(step.getValue());
    llvm::MapVector<StringAttr, Scaler> scalers;
    for (auto func : model.getOps<train::FuncOp>())
      if (failed(collect(model, func, standard, needed, scalers)))
        return failure();
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
                        llvm::MapVector<StringAttr, Scaler> &scalers) {
    auto role = func->getAttrOfType<StringAttr>("train.role"),
         step = func->getAttrOfType<StringAttr>("train.step");
    if (!step || !llvm::is_contained({"train", "grad", "apply"}, role.getValue()))
      return success();
    auto given = func->getAttrOfType<FlatSymbolRefAttr>("amp.scaler");
    auto declared = given ? model.lookupSymbol<amp::ScalerOp>(given.getAttr()) : amp::ScalerOp();
    if (given && !declared)
      return func.emitError() << "expected a scaler, but " << given << " is none";
    auto leaveOut = [&](const char *why) {
      func->setAttr("amp.no_scaling", StringAttr::get(&getContext(), why));
      if (role == "train" && (given || explain))
        func.emitRemark() << "no loss scaling for step @" << step.getValue() << ": " << why;
      return success();
    };
    if (!needed.contains(step.getValue()))
      return leaveOut("no f16 value lies between its loss and its gradients");
    if (!given && !standard)
      return leaveOut("it is switched off");
    Scaler &scaler = scalers[given ? given.getAttr() : step];
    scaler.name = given ? given.getValue().str() : step.str();
    scaler.scaling = declared ? declared.getScaling() : standard;
    scaler.steps.insert(step);
    scaler.programs.push_back(func);
    return success();
  }
};
} // namespace

/// A profile replaces the initial scale, within the scaler's own limits; how it moves stays as it
/// is.
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
  // Only the policy `autocast` rounds gradients of parameters.
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
  scale = withinLimits(scale, old);
  scaler.scaling = amp::ScalingAttr::get(&getContext(), old.getDynamic(), APFloat(scale),
                                         old.getGrowth(), old.getInterval(), old.getBackoff(),
                                         old.getFloor(), old.getCap(), old.getHysteresis());
  if (explain)
    model.emitRemark() << "the loss scale of " << scaler.name << " starts at " << int64_t(scale)
                       << ": chosen from " << profile;
  return success();
}
