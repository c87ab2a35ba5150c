// Expansion of a step: gradient, clipping, schedule and optimizer. State is an argument and a
// result; updates in place come with buffer assignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Autodiff/SparseGradients.h"
#include "lib/Train/FindProgram.h"
#include "lib/Train/Step/MicroBatches.h"
#include "lib/Train/Step/Ranks.h"
#include "lib/Train/Step/StepFollowers.h"
#include "lib/Train/Step/StepKnobs.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/Support/xxhash.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINEXPANDSTEP
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// Gradient of a parameter: dense [rows, width], or the rows with numbers `rows`.
struct Gradient {
  Value value, rows;
};

class StepExpansion {
public:
  StepExpansion(train::ModelOp model, train::StepOp step, bool explain)
      : model(model), step(step), symbols(model), knobs(model, step), name(step.getSymName()),
        explain(explain), builder(model.getContext()), groups(step.getEachGroup()) {
    for (auto [number, group] : llvm::enumerate(groups))
      for (Attribute param : group.getParams())
        groupOf.try_emplace(param, number);
  }
  LogicalResult run();

private:
  void warnOfLostUpdates();
  LogicalResult checkRules();
  std::string stateName(StringRef kind, StringRef param) {
    return (name + "." + kind + "." + param).str();
  }
  StringAttr paramName(unsigned i) {
    return cast<FlatSymbolRefAttr>(step.getParams()[i]).getAttr();
  }
  /// The parameter's group, or null.
  train::GroupAttr group(unsigned i) {
    auto found = groupOf.find(step.getParams()[i]);
    return found == groupOf.end() ? train::GroupAttr() : groups[found->second];
  }
  OptimizerAttrInterface rule(unsigned i) {
    train::GroupAttr own = group(i);
    return own ? own.getOptimizer() : step.getOptimizer();
  }
  ScheduleAttrInterface schedule(unsigned i) {
    train::GroupAttr own = group(i);
    return own && own.getSchedule() ? own.getSchedule()
                                    : step.getSchedule().value_or(ScheduleAttrInterface());
  }
  std::optional<APFloat> emaDecay(unsigned i) {
    train::GroupAttr own = group(i);
    return own && own.getEmaDecay() ? own.getEmaDecay() : step.getEmaDecay();
  }
  /// Path of the parameter's rule in the names of knobs: "optimizer" or "groups.0".
  std::string pathOfRule(unsigned i) {
    auto found = groupOf.find(step.getParams()[i]);
    return found == groupOf.end() ? "optimizer" : "groups." + std::to_string(found->second);
  }
  /// Path of a number of the parameter's group, or of the step: "groups.0.clip_norm" or
  /// "clip_norm".
  std::string pathOf(unsigned i, StringRef number, bool isOfGroup) {
    return isOfGroup ? pathOfRule(i) + "." + number.str() : number.str();
  }
  RankedTensorType paramType(unsigned i) {
    return cast<RankedTensorType>(symbols.lookup<train::ParamOp>(paramName(i)).getType());
  }
  Type ruleElement(unsigned i) { return typeOfRule(paramType(i)).getElementType(); }
  /// Type of the moments: 16 bits if the optimizer requests them. The f64 form of a model is a
  /// reference, so nothing is rounded there.
  Type momentElement(unsigned i) {
    Type element = rule(i).getMomentType(), computed = ruleElement(i);
    return !element || computed.isF64() ? computed : element;
  }
  SmallVector<Moment> momentsOf(unsigned i) {
    return rule(i).getMomentsOf(paramType(i).getShape());
  }
  RankedTensorType momentType(unsigned i, const Moment &moment) {
    return RankedTensorType::get(moment.shape, momentElement(i));
  }
  StringAttr weightRounding() { return step->getAttrOfType<StringAttr>("weight_rounding"); }
  bool roundsStochastically() { return weightRounding() && weightRounding() == "stochastic"; }
  void declareState(ArrayRef<Gradient> gradients);
  train::FuncOp makeTrain(train::FuncOp gradient);
  train::FuncOp makeApply(ArrayRef<Gradient> gradients);
  void storeGradients(train::FuncOp gradient);
  void declare(StringRef symbol, Type type, train::StateRole role, StringAttr param = {},
               double value = 0.0);
  SmallVector<Gradient> gradientsOf(train::FuncOp func);
  /// Appends clipping, schedule and optimizer for unscaled gradients.
  void addUpdate(train::FuncOp func, SmallVector<Gradient> gradients);
  void clipValues(GradBuilder &b, SignatureChange &program, MutableArrayRef<Gradient> gradients);
  Value clipNorm(GradBuilder &b, SignatureChange &program, MutableArrayRef<Gradient> gradients,
                 ArrayRef<unsigned> which, const APFloat &limit, StringRef path);
  void clip(GradBuilder &b, SignatureChange &program, MutableArrayRef<Gradient> gradients);
  void addAverage(GradBuilder &b, SignatureChange &program, unsigned i, const APFloat &decay,
                  Value updated, Value next);
  SmallVector<Value> applyRule(GradBuilder &b, unsigned i, Value param, Value gradient,
                               ArrayRef<Value> moments, StringRef part);
  SmallVector<Value> updateParam(GradBuilder &b, SignatureChange &program, unsigned i,
                                 Gradient gradient);

  train::ModelOp model;
  train::StepOp step;
  SymbolTable symbols; ///< of the model before the expansion
  StepKnobs knobs;
  std::optional<StepFollowers> followers;
  StringRef name;
  bool explain;
  OpBuilder builder;
  SmallVector<train::GroupAttr> groups;
  DenseMap<Attribute, unsigned> groupOf; ///< by name of the parameter
  Value count;                           ///< steps so far, in the program under construction
  Value lr; ///< learning rate of the present parameter, in the type of its rule
  /// Numbers of the present parameter's rule that knobs or the schedule give.
  SmallVector<std::pair<StringRef, Value>> numbers;
};
} // namespace

void StepExpansion::declare(StringRef symbol, Type type, train::StateRole role, StringAttr param,
                            double value) {
  Attribute init = value == 0.0
                       ? Attribute(train::ZerosAttr::get(builder.getContext()))
                       : Attribute(train::FillAttr::get(builder.getContext(), APFloat(value)));
  train::BufferOp::create(builder, step.getLoc(), symbol, type, init, role, param, name);
}

void StepExpansion::declareState(ArrayRef<Gradient> gradients) {
  builder.setInsertionPoint(step);
  using train::StateRole;
  declare((name + ".step").str(), RankedTensorType::get({}, builder.getI64Type()), StateRole::Step);
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    StringAttr param = paramName(i);
    for (const Moment &moment : momentsOf(i))
      declare(stateName(moment.name, param), momentType(i, moment), StateRole::Moment, param,
              rule(i).getInitialMoment());
    if (emaDecay(i))
      declare(stateName("ema", param), typeOfRule(paramType(i)), StateRole::Ema, param);
    declare(stateName("gradient", param), gradient.value.getType(), StateRole::Gradient, param);
    if (gradient.rows)
      declare(stateName("rows", param), gradient.rows.getType(), StateRole::Gradient, param);
  }
}

/// Results of the gradient function, in the order of the step's parameters.
SmallVector<Gradient> StepExpansion::gradientsOf(train::FuncOp func) {
  SmallVector<Gradient> gradients(step.getParams().size());
  for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands())
    if (auto is = Signature(func).result<train::GradientAttr>(returned)) {
      Gradient &gradient =
          gradients[llvm::find(step.getParams(), Attribute(is.getOf())) - step.getParams().begin()];
      (is.getRows() ? gradient.rows : gradient.value) = returned.get();
    }
  return gradients;
}

namespace {
struct Norm {
  Value rounded, exact; ///< exact: in f64
};
} // namespace

/// Global 2-norm of all gradients. The sum is formed in f64, so that the order of the kernels does
/// not show in the result, which is f32 in any precision.
static Norm normOf(GradBuilder &b, ArrayRef<Value> gradients) {
  Value sum;
  Type element = std::exchange(b.compute, b.builder.getF64Type());
  for (Value g : gradients) {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(g.getType()).getRank()));
    Value wide = b.castTo(g, b.compute), square = b.mul(wide, wide);
    Value part = dims.empty() ? square : b.reduceSum(square, dims);
    sum = sum ? b.add(sum, part) : part;
  }
  Value norm = b.sqrt(sum), rounded = b.castTo(norm, b.builder.getF32Type());
  b.compute = element;
  if (!element.isF64())
    return {rounded, norm};
  rounded = b.castTo(rounded, element);
  // above the largest f32, `rounded` is infinity
  Value most = b.real(std::numeric_limits<float>::max(), norm);
  return {b.select(b.greater(most, norm), rounded, norm), norm};
}

/// Factor min(1, limit / (norm + 1e-6)), as in torch.nn.utils.clip_grad_norm_. Finite f32 gradients
/// may have a norm beyond f32, whose factor would be 0: the factor is then computed in f64.
static Value clippingFactor(GradBuilder &b, const Norm &norm,
                            llvm::function_ref<Value(GradBuilder &, Type)> limitIn) {
  Value one = b.real(1.0, norm.rounded);
  Value limit = limitIn(b, getElementTypeOrSelf(norm.rounded));
  Value factor = b.div(limit, b.add(norm.rounded, b.real(1e-6, norm.rounded)));
  if (Type element = getElementTypeOrSelf(norm.rounded); !element.isF64()) {
    GradBuilder wide = b;
    wide.compute = b.builder.getF64Type();
    Value most = wide.real(std::numeric_limits<float>::max(), norm.exact);
    Value exact = wide.castTo(wide.div(limitIn(wide, wide.compute), norm.exact), element);
    factor = b.select(wide.greater(norm.exact, most), exact, factor);
  }
  return b.select(b.greater(one, factor), factor, one);
}

/// Limits the elements of each gradient by the `clip_value` of the group, or of the step.
void StepExpansion::clipValues(GradBuilder &b, SignatureChange &program,
                               MutableArrayRef<Gradient> gradients) {
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    train::GroupAttr own = group(i);
    bool isOfGroup = own && own.getClipValue();
    std::optional<APFloat> limit = isOfGroup ? own.getClipValue() : step.getClipValue();
    if (!limit)
      continue;
    Value &g = gradient.value;
    Value knob =
        knobs.find(b, program, pathOf(i, "clip_value", isOfGroup), getElementTypeOrSelf(g));
    double most = limit->convertToDouble();
    Value high = knob ? knob : b.real(most, g), low = knob ? b.neg(knob) : b.real(-most, g);
    g = b.select(b.greater(g, high), high, b.select(b.greater(low, g), low, g));
  }
}

/// Scales the gradients with these numbers down to the 2-norm `limit`; their norm before.
Value StepExpansion::clipNorm(GradBuilder &b, SignatureChange &program,
                              MutableArrayRef<Gradient> gradients, ArrayRef<unsigned> which,
                              const APFloat &limit, StringRef path) {
  Norm norm = normOf(b, llvm::map_to_vector(which, [&](unsigned i) { return gradients[i].value; }));
  Value factor = clippingFactor(b, norm, [&](GradBuilder &own, Type element) {
    return knobs.number(own, program, path, limit.convertToDouble(), element);
  });
  for (unsigned i : which) {
    Value &g = gradients[i].value;
    g = b.mul(g, b.castTo(factor, getElementTypeOrSelf(g)));
  }
  return norm.rounded;
}

void StepExpansion::clip(GradBuilder &b, SignatureChange &program,
                         MutableArrayRef<Gradient> gradients) {
  clipValues(b, program, gradients);
  SmallVector<unsigned> ofStep;                              // without a norm of their group
  llvm::MapVector<unsigned, SmallVector<unsigned>> ofGroups; // by number of the group
  for (unsigned i = 0; i < gradients.size(); ++i) {
    train::GroupAttr own = group(i);
    (own && own.getClipNorm() ? ofGroups[groupOf.lookup(step.getParams()[i])] : ofStep)
        .push_back(i);
  }
  if (step.getClipNorm() && !ofStep.empty())
    program.addOutput(clipNorm(b, program, gradients, ofStep, *step.getClipNorm(), "clip_norm"),
                      train::Output::Norm);
  for (const auto &[number, which] : ofGroups)
    clipNorm(b, program, gradients, which, *groups[number].getClipNorm(),
             pathOf(which.front(), "clip_norm", /*isOfGroup=*/true));
}

/// Applies the optimizer's rule to a tensor, or to rows of a table.
SmallVector<Value> StepExpansion::applyRule(GradBuilder &b, unsigned i, Value param, Value gradient,
                                            ArrayRef<Value> moments, StringRef part) {
  OptimizerAttrInterface optimizer = rule(i);
  SmallVector<int32_t> keys;
  auto keyOf = [&](StringRef kind) {
    return int32_t(llvm::xxh3_64bits(stateName(kind, paramName(i)) + part.str()));
  };
  if (momentElement(i).isBF16())
    for (const Moment &moment : momentsOf(i))
      keys.push_back(keyOf(moment.name));
  IntegerAttr paramKey;
  if (roundsStochastically() && paramType(i).getElementTypeBitWidth() == 16)
    paramKey = b.builder.getI32IntegerAttr(keyOf("weight"));
  auto names = llvm::map_to_vector(numbers, [](const auto &each) { return each.first; });
  auto values = llvm::map_to_vector(numbers, [](const auto &each) { return each.second; });
  auto update = train::UpdateOp::create(
      b.builder, b.loc, param, gradient, moments, count, lr, values, /*skip=*/Value(), optimizer,
      names.empty() ? ArrayAttr() : b.builder.getStrArrayAttr(names),
      keys.empty() ? DenseI32ArrayAttr() : b.builder.getDenseI32ArrayAttr(keys), paramKey,
      /*products=*/TypeAttr());
  b.stamp(update);
  return SmallVector<Value>(update->getResults());
}

/// New parameter and moments. A sparse gradient gathers, updates and scatters rows; if the rule
/// moves every row, the whole table is first updated with a gradient of 0.
SmallVector<Value> StepExpansion::updateParam(GradBuilder &b, SignatureChange &program, unsigned i,
                                              Gradient gradient) {
  OptimizerAttrInterface optimizer = rule(i);
  SmallVector<Value> state{program.addState(paramName(i), paramType(i))};
  for (const Moment &moment : momentsOf(i))
    state.push_back(program.addState(stateName(moment.name, paramName(i)), momentType(i, moment)));
  if (!gradient.rows)
    return applyRule(b, i, state[0], gradient.value, ArrayRef(state).drop_front(), "");
  SmallVector<Value> old = llvm::map_to_vector(state, [&](Value table) {
    return b.op<train::GatherOp>(table, gradient.rows, IntegerAttr());
  });
  SmallVector<Value> rows =
      applyRule(b, i, old[0], gradient.value, ArrayRef(old).drop_front(), ".rows");
  if (optimizer.getRowUpdate() == RowUpdate::Every) {
    Value zeros = b.broadcastTo(b.real(0.0, ruleElement(i)), typeOfRule(paramType(i)));
    state = applyRule(b, i, state[0], zeros, ArrayRef(state).drop_front(), "");
  }
  for (auto [table, now] : llvm::zip(state, rows))
    table = b.op<train::ScatterRowsOp>(now, gradient.rows, table);
  return state;
}

/// Adds the exponential moving average of a parameter, whose initial value is the first updated
/// weight.
void StepExpansion::addAverage(GradBuilder &b, SignatureChange &program, unsigned i,
                               const APFloat &decay, Value updated, Value next) {
  std::string ema = stateName("ema", paramName(i));
  Value old = program.addState(ema, typeOfRule(paramType(i)));
  updated = b.castTo(updated, ruleElement(i));
  bool isOfGroup = group(i) && group(i).getEmaDecay();
  Value knob = knobs.find(b, program, pathOf(i, "ema_decay", isOfGroup), ruleElement(i));
  Value blended = buildAverage(b, decay.convertToDouble(), knob, old, updated);
  Value isFirst = b.compare(train::ComparePredicate::eq, next, b.real(1.0, next));
  program.addStateResult(b.select(isFirst, updated, blended), ema);
}

void StepExpansion::addUpdate(train::FuncOp func, SmallVector<Gradient> gradients) {
  Value lrFactor = Signature(func).addControl(train::Control::LrFactor);
  llvm::StringMap<Value> newStates; // by name, of buffers and parameters
  for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands())
    if (StringAttr state = Signature(func).stateResult(returned.getOperandNumber()))
      newStates[state] = returned.get();
  SignatureChange program(func);
  OpBuilder inner(func.getBody().front().getTerminator());
  GradBuilder b(
      inner, step.getLoc(),
      train::OriginAttr::get(inner.getStringAttr(name + ".update"), train::Stage::Update));
  // Rules compute in the type of their gradients, whatever the ops' categories are; values shared
  // by all parameters have the widest type.
  Type widest = getElementTypeOrSelf(gradients.front().value);
  for (const Gradient &gradient : gradients)
    if (Type element = getElementTypeOrSelf(gradient.value); element.isF64())
      widest = element;
  b.compute = widest;
  clip(b, program, gradients);

  count = program.addState((name + ".step").str(), RankedTensorType::get({}, builder.getI64Type()));
  Value next = b.add(count, b.real(1.0, count));
  Value factor = b.castTo(lrFactor, widest);
  llvm::DenseMap<Attribute, std::pair<Value, Value>> scheduled; // factor and momentum, or null
  auto scheduledBy = [&](ScheduleAttrInterface schedule) {
    if (!schedule)
      return std::pair<Value, Value>();
    auto [known, isNew] = scheduled.try_emplace(schedule);
    if (isNew) {
      Value number = b.castTo(next, widest);
      Value rate = schedule.buildFactor(b, number);
      known->second = {rate, schedule.hasMomentum() ? schedule.buildMomentum(b, number) : Value()};
    }
    return known->second;
  };
  llvm::StringMap<Value> rates; // by path of the rule
  auto rateOf = [&](OptimizerAttrInterface optimizer, StringRef path, Value share) {
    Value &known = rates[path];
    if (!known) {
      Value rate =
          knobs.number(b, program, (path + ".lr").str(), optimizer.getLearningRate(), widest);
      known = b.mul(share ? b.mul(rate, share) : rate, factor);
    }
    return known;
  };
  auto ofStep = step.getSchedule().value_or(ScheduleAttrInterface());
  Value share = scheduledBy(ofStep).first;
  if (ofStep || knobOf(step, "optimizer.lr"))
    program.addOutput(rateOf(step.getOptimizer(), "optimizer", share), train::Output::Rate);

  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    std::string path = pathOfRule(i);
    auto [ownShare, momentum] = scheduledBy(schedule(i));
    Value rate = rateOf(rule(i), path, ownShare);
    b.compute = ruleElement(i);
    lr = b.castTo(rate, b.compute);
    numbers.clear();
    for (StringRef each : rule(i).getVariableNumbers())
      if (Value knob = knobs.find(b, program, path + "." + each.str(), b.compute))
        numbers.push_back({each, knob});
    if (momentum)
      numbers.push_back({rule(i).getMomentumName(), b.castTo(momentum, b.compute)});
    SmallVector<Value> updated = updateParam(b, program, i, gradient);
    program.addStateResult(updated[0], paramName(i));
    newStates[paramName(i)] = updated[0];
    for (auto [moment, value] : llvm::zip(momentsOf(i), ArrayRef(updated).drop_front()))
      program.addStateResult(value, stateName(moment.name, paramName(i)));
    if (std::optional<APFloat> decay = emaDecay(i))
      addAverage(b, program, i, *decay, updated[0], next);
    b.compute = widest;
  }
  followers->addResults(b, program, newStates, next);
  knobs.addResults(b, program);
  program.addStateResult(next, (name + ".step").str());
}

/// Creates the training program from a copy of the gradient function.
train::FuncOp StepExpansion::makeTrain(train::FuncOp gradient) {
  auto whole = cast<train::FuncOp>(builder.clone(*gradient));
  whole.setSymName((name + ".train").str());
  whole.setRole(train::Role::Train);
  SmallVector<Gradient> gradients = gradientsOf(whole);
  SignatureChange(whole).eraseResults<train::GradientAttr>();
  addUpdate(whole, std::move(gradients));
  return whole;
}

/// Creates the apply program: the optimizer alone, on stored gradients.
train::FuncOp StepExpansion::makeApply(ArrayRef<Gradient> gradients) {
  auto apply = train::FuncOp::create(builder, step.getLoc(), (name + ".apply").str(),
                                     builder.getFunctionType({}, {}));
  apply.setRole(train::Role::Apply);
  apply.setStep(name);
  OpBuilder inner = OpBuilder::atBlockEnd(&apply.getBody().emplaceBlock());
  train::ReturnOp::create(inner, step.getLoc(), ValueRange());
  SmallVector<Gradient> stored;
  {
    SignatureChange program(apply);
    for (auto [i, made] : llvm::enumerate(gradients)) {
      program.addState(paramName(i), paramType(i));
      stored.push_back(
          {program.addState(stateName("gradient", paramName(i)), made.value.getType()), {}});
      if (made.rows)
        stored.back().rows = program.addState(stateName("rows", paramName(i)), made.rows.getType());
    }
  }
  addUpdate(apply, stored);
  return apply;
}

/// Turns the gradient function into the gradient program: gradients become state.
void StepExpansion::storeGradients(train::FuncOp gradient) {
  Signature program(gradient);
  SignatureChange change(gradient);
  for (unsigned i = 0; i < gradient.getNumResults(); ++i)
    if (auto is = program.result<train::GradientAttr>(i))
      change.setResult(i,
                       program.state(stateName(is.getRows() ? "rows" : "gradient", is.getName())));
}

/// Warns of lost updates: with rounding to nearest, an update below half a unit in the last place
/// of a 16-bit parameter has no effect.
void StepExpansion::warnOfLostUpdates() {
  if (weightRounding())
    return;
  for (unsigned i = 0; i < step.getParams().size(); ++i) {
    auto element = cast<FloatType>(paramType(i).getElementType());
    if (element.getWidth() > 16)
      continue;
    step.emitWarning() << "@" << paramName(i).getValue() << " is " << element
                       << ", and loses updates of less than " << lostShareOf(element)
                       << " of a weight: weight_rounding = \"stochastic\" preserves small updates "
                          "on average, \"nearest\" silences this warning";
    return;
  }
}

/// A lazy rule needs the rows of a table that the lookups of all ranks name.
LogicalResult StepExpansion::checkRules() {
  for (unsigned i = 0; ranksOf(step) > 1 && i < step.getParams().size(); ++i)
    if (rule(i).isLazy())
      return step.emitOpError() << "expected rules that are not lazy with " << ranksOf(step)
                                << " ranks, but the rule of @" << paramName(i).getValue()
                                << " is lazy";
  return success();
}

LogicalResult StepExpansion::run() {
  train::FuncOp gradient = findProgram(model, train::Role::Grad, step);
  if (!gradient)
    return step->emitOpError() << "expected train-autodiff to have run";
  if (int64_t count = partsOf(step); count > 1) {
    if (!gradient.getBatch())
      return step.emitOpError() << "expected an input with a batch to cut into " << count
                                << " micro-batches";
    if (failed(accumulateMicroBatches(gradient, step.getMicroBatches().value_or(1), ranksOf(step))))
      return failure();
  }
  if (failed(knobs.verify()) || failed(checkRules()))
    return failure();
  knobs.applySchedules(gradient);
  makeSparseGradients(gradient, step, explain);
  followers.emplace(model, step, knobs, gradient);
  warnOfLostUpdates();
  followers->warnOfLostChanges();
  declareState(gradientsOf(gradient));
  builder.setInsertionPointAfter(gradient);
  train::FuncOp whole = makeTrain(gradient), apply = makeApply(gradientsOf(gradient));
  storeGradients(gradient);
  // Checkpoints record the optimizer that the step was expanded from.
  for (train::FuncOp func : {whole, apply}) {
    func.setOptimizerAttr(step.getOptimizer());
    func.setGroupsAttr(step.getGroupsAttr());
    if (weightRounding())
      func->setAttr("amp.weight_rounding", weightRounding());
  }
  // With clipping, all gradients are known before the first update anyway, so skipping costs
  // nothing.
  if (step.getNonfinite() || step.hasClipping())
    for (train::FuncOp func : {whole, apply, gradient})
      func.setNonfinite(step.getNonfinite() ? train::symbolizeNonFinite(*step.getNonfinite())
                                            : train::NonFinite::skip);
  if (Attribute scaler = step->getAttr("amp.scaler"))
    for (train::FuncOp func : {whole, apply, gradient})
      func->setAttr("amp.scaler", scaler);
  knobs.removeSchedules();
  followers->erase();
  step.erase();
  return success();
}

namespace {
struct TrainExpandStep : ampc::impl::TrainExpandStepBase<TrainExpandStep> {
  using TrainExpandStepBase::TrainExpandStepBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      for (auto step : llvm::to_vector(model.getOps<train::StepOp>()))
        if (failed(StepExpansion(model, step, explain).run()))
          return signalPassFailure();
  }
};
} // namespace
