// Joins gradient, clipping, schedule and optimizer. State arguments and results carry the name of
// their slot; nothing is updated in place before memory is planned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MicroBatches.h"
#include "RowGradients.h"
#include "ampc/Transforms/Passes.h"
#include "llvm/Support/xxhash.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINEXPANDSTEP
#include "ampc/Transforms/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// A program under construction: arguments and results with their roles.
class Program {
public:
  explicit Program(train::FuncOp func)
      : func(func), body(func.getBody().front()), builder(func.getContext()) {
    for (unsigned i = 0; i < body.getNumArguments(); ++i)
      argumentRoles.push_back(func.getArgAttrDict(i));
  }
  /// The argument that holds a slot; added behind the other state if missing.
  Value state(StringRef slot, Type type) {
    unsigned position = 0;
    for (; position < body.getNumArguments(); ++position) {
      auto name = argumentRoles[position].getAs<StringAttr>("train.slot");
      if (!name)
        break;
      if (name == slot)
        return body.getArgument(position);
    }
    argumentRoles.insert(argumentRoles.begin() + position, role("train.slot", slot));
    return body.insertArgument(position, type, func.getLoc());
  }
  Value control(StringRef name, Type type) {
    argumentRoles.push_back(role("train.control", name));
    return body.addArgument(type, func.getLoc());
  }
  void addResult(Value value, StringRef key, StringRef name) {
    results.push_back(value);
    resultRoles.push_back(role(key, name));
  }
  void addResult(Value value, DictionaryAttr attrs) {
    results.push_back(value);
    resultRoles.push_back(attrs);
  }
  /// Ends the function with the results.
  void finish() {
    if (!body.empty() && body.back().hasTrait<OpTrait::IsTerminator>())
      body.back().erase();
    builder.setInsertionPointToEnd(&body);
    train::ReturnOp::create(builder, func.getLoc(), results);
    func.setFunctionType(
        builder.getFunctionType(body.getArgumentTypes(), ValueRange(results).getTypes()));
    func.setAllArgAttrs(argumentRoles);
    func.setAllResultAttrs(resultRoles);
  }

  train::FuncOp func;
  Block &body;

private:
  DictionaryAttr role(StringRef key, StringRef name) {
    return builder.getDictionaryAttr(builder.getNamedAttr(key, builder.getStringAttr(name)));
  }
  OpBuilder builder;
  SmallVector<DictionaryAttr> argumentRoles, resultRoles;
  SmallVector<Value> results;
};

/// The gradient of a parameter, or of those rows of it that `rows` names.
struct Gradient {
  Value value, rows;
};

class Expansion {
public:
  Expansion(train::ModelOp model, train::StepOp step, bool explain)
      : model(model), step(step), symbols(model), name(step.getSymName()), explain(explain),
        builder(model.getContext()) {}
  LogicalResult run();

private:
  std::string slot(StringRef kind, StringRef param) {
    return (name + "." + kind + "." + param).str();
  }
  StringRef paramName(unsigned i) {
    return cast<FlatSymbolRefAttr>(step.getParams()[i]).getValue();
  }
  OptimizerAttrInterface rule(unsigned i) {
    return step.getOptimizerOf(cast<FlatSymbolRefAttr>(step.getParams()[i]).getAttr());
  }
  RankedTensorType paramType(unsigned i) {
    return cast<RankedTensorType>(symbols.lookup<train::ParamOp>(paramName(i)).getType());
  }
  /// In 16 bits if the optimizer says so. The f64 form of a model is a reference: nothing is
  /// rounded there.
  RankedTensorType momentType(unsigned i) {
    OptimizerAttrInterface optimizer = rule(i);
    RankedTensorType param = paramType(i);
    Type element = optimizer.getMomentType();
    if (!element || param.getElementType().isF64())
      element = param.getElementType();
    return RankedTensorType::get(optimizer.getMomentShape(param.getShape()), element);
  }
  void declareState(ArrayRef<Gradient> gradients);
  train::FuncOp makeTrain(train::FuncOp gradient);
  train::FuncOp makeApply(ArrayRef<Gradient> gradients);
  void storeGradients(train::FuncOp gradient);
  void declare(StringRef symbol, Type type, StringRef role, double value = 0.0);
  SmallVector<Gradient> gradientsOf(train::FuncOp func);
  /// Appends clipping, schedule and optimizer for plain gradients.
  void addUpdate(Program &program, SmallVector<Gradient> gradients);
  void clip(GradBuilder &b, Program &program, MutableArrayRef<Gradient> gradients);
  SmallVector<Value> applyRule(GradBuilder &b, unsigned i, Value param, Value gradient,
                               ArrayRef<Value> moments, StringRef part);
  SmallVector<Value> updateParam(GradBuilder &b, Program &program, unsigned i, Gradient gradient);

  train::ModelOp model;
  train::StepOp step;
  SymbolTable symbols; ///< of the model before the expansion
  StringRef name;
  bool explain;
  OpBuilder builder;
  Value count, number; ///< of the program under construction: the step as integer and real
  Value lr;            ///< of the parameter that is being updated
};
} // namespace

void Expansion::declare(StringRef symbol, Type type, StringRef role, double value) {
  Attribute init = value == 0.0
                       ? Attribute(train::ZerosAttr::get(builder.getContext()))
                       : Attribute(train::FillAttr::get(builder.getContext(), APFloat(value)));
  auto buffer = train::BufferOp::create(
      builder, step.getLoc(), symbol, cast<RankedTensorType>(type), cast<InitAttrInterface>(init));
  buffer->setAttr("role", builder.getStringAttr(role));
}

void Expansion::declareState(ArrayRef<Gradient> gradients) {
  builder.setInsertionPoint(step);
  declare((name + ".step").str(), RankedTensorType::get({}, builder.getI64Type()), "step");
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    OptimizerAttrInterface optimizer = rule(i);
    for (StringRef moment : optimizer.getMomentNames())
      declare(slot(moment, paramName(i)), momentType(i), "moment", optimizer.getInitialMoment());
    if (step.getEmaDecay())
      declare(slot("ema", paramName(i)), paramType(i), "ema");
    declare(slot("gradient", paramName(i)), gradient.value.getType(), "gradient");
    if (gradient.rows)
      declare(slot("rows", paramName(i)), gradient.rows.getType(), "gradient");
  }
}

/// What the gradient function returns, in the order of the step's parameters.
SmallVector<Gradient> Expansion::gradientsOf(train::FuncOp func) {
  SmallVector<Gradient> gradients(step.getParams().size());
  auto numberOf = [&](StringAttr param) {
    return llvm::find(step.getParams(), Attribute(FlatSymbolRefAttr::get(param))) -
           step.getParams().begin();
  };
  for (auto [i, value] : llvm::enumerate(func.getBody().front().getTerminator()->getOperands())) {
    if (auto param = func.getResultAttrOfType<StringAttr>(i, "train.gradient"))
      gradients[numberOf(param)].value = value;
    if (auto param = func.getResultAttrOfType<StringAttr>(i, "train.rows"))
      gradients[numberOf(param)].rows = value;
  }
  return gradients;
}

/// The 2-norm of all gradients. The order of the sum is that of the kernels and must not show: it
/// is added up in f64, and the norm has the digits of f32 in any precision.
static Value normOf(GradBuilder &b, ArrayRef<Gradient> gradients) {
  Value sum;
  Type element = std::exchange(b.compute, b.builder.getF64Type());
  for (auto &[g, rows] : gradients) {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(g.getType()).getRank()));
    Value wide = b.castTo(g, b.compute), square = b.mul(wide, wide);
    Value part = dims.empty() ? square : b.reduceSum(square, dims);
    sum = sum ? b.add(sum, part) : part;
  }
  Value norm = b.sqrt(sum);
  Value rounded = b.castTo(norm, element.isF64() ? Type(b.builder.getF32Type()) : element);
  b.compute = element;
  if (!element.isF64())
    return rounded;
  rounded = b.castTo(rounded, element);
  Value most = b.real(std::numeric_limits<float>::max(), norm); // beyond it f32 has infinity
  return b.select(b.greater(most, norm), rounded, norm);
}

void Expansion::clip(GradBuilder &b, Program &program, MutableArrayRef<Gradient> gradients) {
  if (step.getClipValue())
    for (auto &[g, rows] : gradients) {
      double limit = step.getClipValue()->convertToDouble();
      Value high = b.real(limit, g), low = b.real(-limit, g);
      g = b.select(b.greater(g, high), high, b.select(b.greater(low, g), low, g));
    }
  if (step.getClipNorm()) {
    Value norm = normOf(b, gradients);
    // As torch.nn.utils.clip_grad_norm_: factor min(1, limit / (norm + 1e-6)).
    Value one = b.real(1.0, norm);
    Value factor =
        b.div(b.real(step.getClipNorm()->convertToDouble(), norm), b.add(norm, b.real(1e-6, norm)));
    factor = b.select(b.greater(one, factor), factor, one);
    for (auto &[g, rows] : gradients)
      g = b.mul(g, factor);
    program.addResult(norm, "train.name", "grad_norm");
  }
}

/// The optimizer's rule on a tensor, or on rows of one; 16-bit moments are rounded here.
SmallVector<Value> Expansion::applyRule(GradBuilder &b, unsigned i, Value param, Value gradient,
                                        ArrayRef<Value> moments, StringRef part) {
  OptimizerAttrInterface optimizer = rule(i);
  Type element = getElementTypeOrSelf(param), stored = momentType(i).getElementType();
  SmallVector<Value> wide =
      llvm::map_to_vector(moments, [&](Value moment) { return b.castTo(moment, element); });
  SmallVector<Value> updated = optimizer.buildUpdate(b, param, gradient, wide, number, lr);
  if (stored == element)
    return updated;
  for (auto [moment, value] :
       llvm::zip(optimizer.getMomentNames(), MutableArrayRef(updated).drop_front())) {
    auto key = int32_t(llvm::xxh3_64bits(slot(moment, paramName(i)) + part.str()));
    auto type = cast<RankedTensorType>(value.getType()).clone(stored);
    value = stored.isBF16() ? b.op<train::StochasticRoundOp>(type, value, count, key)
                            : b.castTo(value, stored);
  }
  return updated;
}

/// The new parameter and its new moments. Rows are read, updated and written back; where the rule
/// moves every row, the others are updated with a gradient of 0 before.
SmallVector<Value> Expansion::updateParam(GradBuilder &b, Program &program, unsigned i,
                                          Gradient gradient) {
  OptimizerAttrInterface optimizer = rule(i);
  SmallVector<Value> state{program.state(paramName(i), paramType(i))};
  for (StringRef moment : optimizer.getMomentNames())
    state.push_back(program.state(slot(moment, paramName(i)), momentType(i)));
  if (!gradient.rows)
    return applyRule(b, i, state[0], gradient.value, ArrayRef(state).drop_front(), "");
  SmallVector<Value> old = llvm::map_to_vector(state, [&](Value table) {
    return b.op<train::GatherOp>(table, gradient.rows, IntegerAttr());
  });
  SmallVector<Value> rows =
      applyRule(b, i, old[0], gradient.value, ArrayRef(old).drop_front(), ".rows");
  if (optimizer.getRowUpdate() == RowUpdate::Every) {
    Value zeros = b.broadcastTo(b.real(0.0, state[0]), paramType(i));
    state = applyRule(b, i, state[0], zeros, ArrayRef(state).drop_front(), "");
  }
  for (auto [table, now] : llvm::zip(state, rows))
    table = b.op<train::PutRowsOp>(now, gradient.rows, table);
  return state;
}

void Expansion::addUpdate(Program &program, SmallVector<Gradient> gradients) {
  OpBuilder inner(builder.getContext());
  if (!program.body.empty() && program.body.back().hasTrait<OpTrait::IsTerminator>())
    inner.setInsertionPoint(&program.body.back());
  else
    inner.setInsertionPointToEnd(&program.body);
  GradBuilder b(inner, NameLoc::get(inner.getStringAttr(name + ".update"), step.getLoc()));
  Type element = getElementTypeOrSelf(gradients.front().value);
  b.compute = element; // state is updated in its own type, whatever the ops' categories say
  clip(b, program, gradients);

  count = program.state((name + ".step").str(), RankedTensorType::get({}, builder.getI64Type()));
  Value next = b.add(count, b.real(1.0, count));
  number = b.castTo(next, element);
  Value factor = program.control("lr_factor", RankedTensorType::get({}, builder.getF32Type()));
  factor = b.castTo(factor, element);
  Value scheduled;
  auto rateOf = [&](OptimizerAttrInterface optimizer) {
    Value rate = b.real(optimizer.getLearningRate(), element);
    return b.mul(scheduled ? b.mul(rate, scheduled) : rate, factor);
  };
  if (auto schedule = step.getSchedule()) {
    scheduled = schedule->buildFactor(b, number);
    program.addResult(rateOf(step.getOptimizer()), "train.name", "learning_rate");
  }

  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    OptimizerAttrInterface optimizer = rule(i);
    lr = rateOf(optimizer);
    SmallVector<Value> updated = updateParam(b, program, i, gradient);
    program.addResult(updated[0], "train.slot", paramName(i));
    for (auto [moment, value] :
         llvm::zip(optimizer.getMomentNames(), ArrayRef(updated).drop_front()))
      program.addResult(value, "train.slot", slot(moment, paramName(i)));
    if (step.getEmaDecay()) { // the average starts at the first updated value
      double keep = step.getEmaDecay()->convertToDouble();
      std::string ema = slot("ema", paramName(i));
      Value old = program.state(ema, paramType(i));
      Value blended =
          b.add(b.mul(b.real(keep, old), old), b.mul(b.real(1 - keep, old), updated[0]));
      Value isFirst = b.compare(train::ComparePredicate::eq, next, b.real(1.0, next));
      program.addResult(b.select(isFirst, updated[0], blended), "train.slot", ema);
    }
  }
  program.addResult(next, "train.slot", (name + ".step").str());
}

/// The whole step, from a copy of the gradient function.
train::FuncOp Expansion::makeTrain(train::FuncOp gradient) {
  auto whole = cast<train::FuncOp>(builder.clone(*gradient));
  whole.setSymName((name + ".train").str());
  whole->setAttr("train.role", builder.getStringAttr("train"));
  Program program(whole);
  for (auto [i, value] : llvm::enumerate(program.body.getTerminator()->getOperands()))
    if (!gradient.getResultAttr(i, "train.gradient") && !gradient.getResultAttr(i, "train.rows"))
      program.addResult(value, gradient.getResultAttrDict(i));
  addUpdate(program, gradientsOf(whole));
  program.finish();
  return whole;
}

/// The optimizer alone, on stored gradients.
train::FuncOp Expansion::makeApply(ArrayRef<Gradient> gradients) {
  auto apply = train::FuncOp::create(builder, step.getLoc(), (name + ".apply").str(),
                                     builder.getFunctionType({}, {}),
                                     /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
  apply.getBody().emplaceBlock();
  apply->setAttr("train.role", builder.getStringAttr("apply"));
  apply->setAttr("train.step", builder.getStringAttr(name));
  Program program(apply);
  SmallVector<Gradient> stored;
  for (auto [i, made] : llvm::enumerate(gradients)) {
    program.state(paramName(i), paramType(i));
    stored.push_back({program.state(slot("gradient", paramName(i)), made.value.getType()), {}});
    if (made.rows)
      stored.back().rows = program.state(slot("rows", paramName(i)), made.rows.getType());
  }
  addUpdate(program, stored);
  program.finish();
  return apply;
}

/// Forward and backward alone: gradients become state.
void Expansion::storeGradients(train::FuncOp gradient) {
  Program program(gradient);
  for (auto [i, value] :
       llvm::enumerate(gradient.getBody().front().getTerminator()->getOperands())) {
    if (auto param = gradient.getResultAttrOfType<StringAttr>(i, "train.gradient"))
      program.addResult(value, "train.slot", slot("gradient", param));
    else if (auto param = gradient.getResultAttrOfType<StringAttr>(i, "train.rows"))
      program.addResult(value, "train.slot", slot("rows", param));
    else
      program.addResult(value, gradient.getResultAttrDict(i));
  }
  program.finish();
}

LogicalResult Expansion::run() {
  auto gradient = model.lookupSymbol<train::FuncOp>((name + ".grad").str());
  if (!gradient)
    return step->emitOpError() << "expected train-autodiff to have run";
  if (int64_t count = step.getMicroBatches().value_or(1); count > 1) {
    if (!gradient->hasAttr("train.batch"))
      return step.emitOpError() << "expected an input with a batch to cut into " << count
                                << " micro-batches";
    accumulateMicroBatches(gradient, count);
  }
  keepRowGradients(gradient, step, explain);
  declareState(gradientsOf(gradient));
  builder.setInsertionPointAfter(gradient);
  train::FuncOp whole = makeTrain(gradient), apply = makeApply(gradientsOf(gradient));
  storeGradients(gradient);
  // What the step was made of is part of what a checkpoint depends on.
  for (train::FuncOp func : {whole, apply}) {
    func->setAttr("train.optimizer", step.getOptimizer());
    if (step.getGroupsAttr())
      func->setAttr("train.groups", step.getGroupsAttr());
  }
  // A clipped step knows all gradients before its first update anyway.
  if (step.getNonfinite() || step.getClipNorm() || step.getClipValue())
    for (train::FuncOp func : {whole, apply, gradient})
      func->setAttr("train.nonfinite", builder.getStringAttr(step.getNonfinite().value_or(
                                           train::stringifyNonFinite(train::NonFinite::skip))));
  if (Attribute scaler = step->getAttr("amp.scaler"))
    for (train::FuncOp func : {whole, apply, gradient})
      func->setAttr("amp.scaler", scaler);
  step.erase();
  return success();
}

namespace {
struct TrainExpandStep : ampc::impl::TrainExpandStepBase<TrainExpandStep> {
  using TrainExpandStepBase::TrainExpandStepBase;
  void runOnOperation() override {
    for (auto model : getOperation().getOps<train::ModelOp>())
      for (auto step : llvm::to_vector(model.getOps<train::StepOp>()))
        if (failed(Expansion(model, step, explain).run()))
          return signalPassFailure();
  }
};
} // namespace
