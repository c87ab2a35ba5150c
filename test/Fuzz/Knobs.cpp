// Knobs, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Knobs.h"
#include "mlir-dialects/Train/Ops/Random.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "test/Fuzz/Addition.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

// First values and ranges of operands, by use.
static const KnobRange factors[] = {
    {1, 0, 2}, {0.5, -1, 2}, {0.25, 0, 1}, {4, 0.1, 10}, {0, -0.5, 1}};
static const KnobRange rates[] = {{0.1, 0, 1}, {0.01, 0.001, 0.5}, {0, 0, 0.5}};
static const KnobRange momenta[] = {{0.9, 0, 0.95}, {0.5, 0.1, 0.9}, {0, 0, 0.9}};
static const KnobRange limits[] = {{1, 0.01, 10}, {0.05, 0.001, 1}, {100, 0.1, 100}};
static const KnobRange decays[] = {{0.5, 0, 0.99}, {0.9, 0.5, 0.999}, {0, 0, 0.9}};
static const KnobRange drops[] = {{0.25, 0, 0.5}, {0, 0, 0.9}};

namespace {
class Knobs : Addition {
public:
  using Addition::Addition;
  void run();

private:
  train::KnobOp declareKnob(const KnobRange &range);
  train::KnobOp pickOrDeclare();
  Value readInFront(train::FuncOp func, train::KnobOp knob);
  Value pickValue(train::FuncOp func);
  void turnValue(train::FuncOp func);
  void dropValue(train::FuncOp func);
  void turnDropouts();
  void addSlope(train::FuncOp loss);
  void addGroup(train::StepOp step);
  Attribute ruleOf(train::StepOp step, StringRef path);
  void setRule(train::StepOp step, StringRef path, Attribute rule);
  bool turnRule(train::StepOp step, StringRef path, StringRef parameter,
                ArrayRef<KnobRange> ranges);
  void turnClause(train::StepOp step, StringRef name, ArrayRef<KnobRange> ranges);
  void turnNumbers(train::StepOp step);
  void note(Operation *op, StringRef path, train::KnobOp knob);
  void scheduleSome();

  SmallVector<train::KnobOp> operands; ///< that functions read
  DenseSet<Operation *> own;           ///< ops that knobs were added by
};
} // namespace

// ---- Declarations and reads ----

train::KnobOp Knobs::declareKnob(const KnobRange &range) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&model.getBody().front());
  Type element = random.chance(0.2) ? Type(builder.getF64Type()) : builder.getF32Type();
  return cast<train::KnobOp>(
      makeOp("train.knob", {}, {},
             {named("sym_name", builder.getStringAttr(freeName("t"))),
              named("type", TypeAttr::get(RankedTensorType::get({}, element))),
              named("init", train::FillAttr::get(context, APFloat(range.first))),
              named("low", builder.getF64FloatAttr(range.low)),
              named("high", builder.getF64FloatAttr(range.high))}));
}

train::KnobOp Knobs::pickOrDeclare() {
  if (operands.empty() || random.chance(0.6))
    operands.push_back(declareKnob(random.pick(factors)));
  return random.chance(0.7) ? operands.back() : random.pick(operands);
}

/// The value in f32 for all ops of the function, in loops and regions as well.
Value Knobs::readInFront(train::FuncOp func, train::KnobOp knob) {
  builder.setInsertionPointToStart(&func.getBody().front());
  Value value = read(knob.getSymName(), cast<RankedTensorType>(knob.getType()));
  own.insert(value.getDefiningOp());
  if (value.getType() == real({}))
    return value;
  value = create("train.cast", value, real({}));
  own.insert(value.getDefiningOp());
  return value;
}

/// A value of f32 that an op of the function reads, or null.
Value Knobs::pickValue(train::FuncOp func) {
  SmallVector<Value> values;
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (getElementTypeOrSelf(result).isF32() && !result.use_empty() && !own.contains(op))
        values.push_back(result);
  });
  return values.empty() ? Value() : random.pick(values);
}

// ---- Functions ----

/// Computes with a value and a knob in place of the value: x -> x * t.
void Knobs::turnValue(train::FuncOp func) {
  static const char *ops[] = {"train.mul", "train.mul",     "train.mul",    "train.add",
                              "train.sub", "train.maximum", "train.minimum"};
  Value value = pickValue(func);
  if (!value)
    return;
  Value knob = readInFront(func, pickOrDeclare());
  builder.setInsertionPointAfterValue(value);
  bool isSwapped = random.chance(0.3);
  Value turned =
      create(random.pick(ops), isSwapped ? ValueRange{knob, value} : ValueRange{value, knob},
             value.getType());
  own.insert(turned.getDefiningOp());
  value.replaceAllUsesExcept(turned, turned.getDefiningOp());
}

void Knobs::dropValue(train::FuncOp func) {
  Value value = pickValue(func);
  if (!value)
    return;
  builder.setInsertionPointAfterValue(value);
  Value dropped =
      create("train.dropout", value, value.getType(), named("rate", builder.getF64FloatAttr(0.5)));
  value.replaceAllUsesExcept(dropped, dropped.getDefiningOp());
}

/// Gives half of the dropouts a rate that is a knob.
void Knobs::turnDropouts() {
  model.walk([&](train::DropoutOp dropout) {
    if (!random.chance(0.5))
      return;
    const KnobRange &range = random.pick(drops);
    dropout.setRate(APFloat(range.getRepresentative()));
    note(dropout, "rate", declareKnob(range));
  });
}

/// Adds the squared derivative of a function of an input and a knob with respect to the knob.
void Knobs::addSlope(train::FuncOp loss) {
  if (operands.empty())
    return;
  train::KnobOp knob = random.pick(operands);
  auto type = cast<RankedTensorType>(loss.getArgument(0).getType());
  if (!getElementTypeOrSelf(knob.getType()).isF32())
    return;
  builder.setInsertionPoint(loss.getBody().front().getTerminator());
  Value value = read(knob.getSymName(), real({}));
  own.insert(value.getDefiningOp());
  Value bent = create("train.tanh", create("train.mul", {loss.getArgument(0), value}, type), type);
  Value slope = create("train.grad", {reduceAll("train.reduce_sum", bent), value}, value.getType());
  Value square = create("train.square", slope, real({}));
  addToLoss(loss, create("train.mul", {square, makeNumber(0.01, builder.getF32Type())}, real({})));
}

// ---- Numbers of steps ----

void Knobs::note(Operation *op, StringRef path, train::KnobOp knob) {
  NamedAttrList knobs(op->getAttrOfType<DictionaryAttr>(knobsKey));
  knobs.set(path, FlatSymbolRefAttr::get(knob.getSymNameAttr()));
  op->setAttr(knobsKey, knobs.getDictionary(context));
}

/// Moves some parameters of the step's own rule into a further group.
void Knobs::addGroup(train::StepOp step) {
  static const char *rules[] = {"#train.sgd<lr = 0.05>",  "#train.sgd<lr = 0.05, momentum = 0.5>",
                                "#train.adam<lr = 0.01>", "#train.rmsprop<lr = 0.01>",
                                "#train.lion<lr = 0.01>", "#train.adagrad<lr = 0.05>",
                                "#train.muon<lr = 0.02>"};
  SmallVector<Attribute> groups(step.getGroupsAttr() ? step.getGroupsAttr().getValue()
                                                     : ArrayRef<Attribute>()),
      free(step.getParams().getValue());
  llvm::erase_if(free, [&](Attribute param) {
    return llvm::any_of(groups, [&](Attribute group) {
      return llvm::is_contained(cast<train::GroupAttr>(group).getParams(), param);
    });
  });
  if (free.size() < 2)
    return;
  ArrayAttr chosen =
      builder.getArrayAttr(ArrayRef(free).take_back(random.between(1, free.size() - 1)));
  auto rule = cast<OptimizerAttrInterface>(parseAttribute(random.pick(rules), context));
  if (step.getSchedule() && step.getSchedule()->hasMomentum() && rule.getMomentumName().empty())
    return;
  groups.push_back(train::GroupAttr::get(context, chosen, rule));
  step.setGroupsAttr(builder.getArrayAttr(groups));
}

/// Number of the group in a path, e.g. 1 in "groups.1"; nothing in "optimizer".
static std::optional<unsigned> groupOf(StringRef path) {
  unsigned number = 0;
  if (!path.consume_front("groups.") || path.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

Attribute Knobs::ruleOf(train::StepOp step, StringRef path) {
  std::optional<unsigned> group = groupOf(path);
  return group ? cast<train::GroupAttr>((*step.getGroups())[*group]).getOptimizer()
               : step.getOptimizer();
}

void Knobs::setRule(train::StepOp step, StringRef path, Attribute rule) {
  auto optimizer = cast<OptimizerAttrInterface>(rule);
  std::optional<unsigned> group = groupOf(path);
  if (!group)
    return step.setOptimizerAttr(optimizer);
  SmallVector<Attribute> groups(step.getGroups()->getValue());
  auto old = cast<train::GroupAttr>(groups[*group]);
  groups[*group] = train::GroupAttr::get(context, old.getParams(), optimizer, old.getSchedule(),
                                         old.getClipNorm(), old.getClipValue(), old.getEmaDecay());
  step.setGroupsAttr(builder.getArrayAttr(groups));
}

/// Rule with another number, or null: `momentum` 0.5 of #train.sgd<lr = 0.1>.
static Attribute withNumber(Attribute rule, StringRef parameter, double number) {
  std::string text, word = parameter.str() + " = ", digits = std::to_string(number);
  llvm::raw_string_ostream(text) << rule;
  size_t at = std::min(text.find("<" + word), text.find(", " + word));
  if (at == std::string::npos) {
    text.insert(text.rfind('>'), ", " + word + digits);
  } else {
    size_t begin = text.find(word, at) + word.size();
    text.replace(begin, text.find_first_of(",>", begin) - begin, digits);
  }
  ScopedDiagnosticHandler silent(rule.getContext(), [](Diagnostic &) { return success(); });
  return parseAttribute(text, rule.getContext());
}

bool Knobs::turnRule(train::StepOp step, StringRef path, StringRef parameter,
                     ArrayRef<KnobRange> ranges) {
  const KnobRange &range = random.pick(ranges);
  Attribute rule = ruleOf(step, path);
  Attribute taken = withNumber(rule, parameter, range.getRepresentative());
  if (!taken || !withNumber(rule, parameter, range.low) || !withNumber(rule, parameter, range.high))
    return false;
  setRule(step, path, taken);
  note(step, (path + "." + parameter).str(), declareKnob(range));
  return true;
}

void Knobs::turnClause(train::StepOp step, StringRef name, ArrayRef<KnobRange> ranges) {
  const KnobRange &range = random.pick(ranges);
  step->setAttr(name, builder.getF64FloatAttr(range.getRepresentative()));
  note(step, name, declareKnob(range));
}

void Knobs::turnNumbers(train::StepOp step) {
  if (random.chance(0.4))
    addGroup(step);
  SmallVector<std::string> paths = {"optimizer"};
  for (size_t i = 0, count = step.getGroups() ? step.getGroups()->size() : 0; i < count; ++i)
    paths.push_back("groups." + std::to_string(i));
  for (StringRef path : paths) {
    auto rule = cast<OptimizerAttrInterface>(ruleOf(step, path));
    auto schedule = step.getSchedule().value_or(ScheduleAttrInterface());
    if (std::optional<unsigned> group = groupOf(path))
      if (auto own = step.getEachGroup()[*group].getSchedule())
        schedule = own;
    bool setsMomentum = schedule && schedule.hasMomentum();
    if (random.chance(0.5))
      turnRule(step, path, "lr", rates);
    for (StringRef number : rule.getVariableNumbers())
      if (!(setsMomentum && number == rule.getMomentumName()) && random.chance(0.2))
        turnRule(step, path, number, momenta);
  }
  if (random.chance(0.25))
    turnClause(step, "clip_norm", limits);
  if (random.chance(0.2))
    turnClause(step, "clip_value", limits);
  if (random.chance(0.2))
    turnClause(step, "ema_decay", decays);
}

// ---- Schedules ----

void Knobs::scheduleSome() {
  static const char *schedules[] = {
      "#train.linear<steps = 3, start = 0.0, end = 1.0>", "#train.linear<steps = 4, end = 0.25>",
      "#train.step_decay<every = 1, gamma = 0.5>", "#train.cosine<steps = 3, floor = 0.1>",
      "#train.linear_warmup<warmup = 3>"};
  SmallVector<train::StepOp> steps(model.getOps<train::StepOp>());
  for (auto knob : model.getOps<train::KnobOp>()) {
    if (!random.chance(0.15))
      continue;
    knob.setScheduleAttr(
        cast<ScheduleAttrInterface>(parseAttribute(random.pick(schedules), context)));
    knob.setStepAttr(FlatSymbolRefAttr::get(random.pick(steps).getSymNameAttr()));
  }
}

void Knobs::run() {
  for (train::FuncOp func : llvm::to_vector(model.getOps<train::FuncOp>()))
    for (int64_t count = random.between(0, 2); count > 0; --count)
      turnValue(func);
  for (train::FuncOp loss : losses()) {
    if (random.chance(0.12))
      dropValue(loss);
    if (random.chance(0.1))
      addSlope(loss);
  }
  turnDropouts();
  for (auto step : llvm::to_vector(model.getOps<train::StepOp>()))
    if (random.chance(0.8))
      turnNumbers(step);
  scheduleSome();
}

void fuzz::addKnobs(ModuleOp module, Random &random) {
  for (auto model : llvm::to_vector(module.getOps<train::ModelOp>()))
    Knobs(model, random).run();
}
