// Ops, casts and reasons of a step's program, after the precision phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Facts.h"
#include "lib/Report/StepStages.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::report;

static std::string categoryOf(mlir::Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!precision)
    return "";
  switch (precision.getCategory()) {
  case Category::LowPrecision:
    return "LowPrecision";
  case Category::FullPrecision:
    return "FullPrecision";
  case Category::Promote:
    return "Promote";
  case Category::Passthrough:
    return "Passthrough";
  }
  llvm_unreachable("all categories are handled");
}

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

static int64_t bytesInF32(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return isa<FloatType>(tensor.getElementType()) ? tensor.getNumElements() * 4
                                                 : kernel::byteSize(type);
}

static std::string shapeText(Type type) {
  return llvm::join(llvm::map_range(cast<RankedTensorType>(type).getShape(),
                                    [](int64_t size) { return std::to_string(size); }),
                    "x");
}

namespace {
class GraphReader {
public:
  GraphReader(train::FuncOp func, Step &step)
      : func(func), step(step), parts(func), seed(firstSeed(func.getBody().front())) {}
  void run();

private:
  void addInputs();
  void addOperation(mlir::Operation *op);
  void addCast(train::CastOp op, StringAttr why);
  void addLoop(train::ScanOp scan, report::Op &row);
  void addNext(train::NextOp next);
  void addToGraph(mlir::Operation *op);
  void addResults(mlir::Operation *op, report::Op &row);
  Operand operandOf(Value value);
  Operand readBy(int number, Value value);
  int loopAround(mlir::Operation *op);
  StepStage stepStageOf(mlir::Operation *op);
  /// Value in front of a chain of inserted casts, and the casts, last first.
  Value base(Value value, std::vector<int> &casts);
  std::string labelOf(Value value);
  std::string nameOf(mlir::Operation *op);
  std::string uniqueId(StringRef name, StringRef kind);
  void findSavedBytes();
  void readScaling();
  void readNumbers();

  train::FuncOp func;
  Step &step;
  PartFinder parts;
  mlir::Operation *seed;           ///< null: no backward pass
  DenseMap<Value, int> operations; ///< number of the op, by result; of the loop, by argument
  DenseMap<mlir::Operation *, int> casts;
  DenseMap<mlir::Operation *, int64_t> savedBytes;
  llvm::StringMap<int> counts;
};
} // namespace

/// The op, or the loop around an op without an origin, such as a sum of cotangents of a carried
/// value.
static mlir::Operation *withOrigin(mlir::Operation *op) {
  while (!originOf(op) && isa<train::ScanOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

std::string GraphReader::nameOf(mlir::Operation *op) {
  train::OriginAttr origin = originOf(withOrigin(op));
  return origin ? origin.getText() : func.getSymName().str();
}

std::string GraphReader::uniqueId(StringRef name, StringRef kind) {
  std::string id = (name + ":" + kind).str();
  return id + "#" + std::to_string(counts[id]++);
}

Value GraphReader::base(Value value, std::vector<int> &chain) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    auto found = casts.find(op);
    if (found == casts.end())
      break;
    chain.push_back(found->second);
    value = op->getOperand(0);
  }
  return value;
}

std::string GraphReader::labelOf(Value value) {
  if (BlockArgument argument = programArgument(value)) {
    Signature signature(func);
    if (auto state = signature.argument<train::StateAttr>(argument))
      return "@" + state.getName().str();
    if (auto input = signature.argument<train::InputAttr>(argument))
      return input.getName().str();
    if (auto control = signature.argument<train::ControlAttr>(argument))
      return stringifyControl(control.getValue()).str();
    return "argument";
  }
  auto constant = value.getDefiningOp<train::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return "constant";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<FloatType>(elements.getElementType()))
    os << llvm::format("%g", elements.getSplatValue<APFloat>().convertToDouble());
  else
    os << elements.getSplatValue<APInt>();
  return text;
}

/// Argument of a loop's block, e.g. "carried 0"; empty for other values.
static std::string loopArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto scan = argument ? dyn_cast<train::ScanOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!scan)
    return "";
  if (value == scan.getIndex())
    return "index";
  unsigned number = argument.getArgNumber() - scan.getIndexed(), carried = scan.getInits().size();
  return number < carried ? "carried " + std::to_string(number)
                          : "row " + std::to_string(number - carried);
}

Operand GraphReader::operandOf(Value value) {
  Operand operand;
  operand.type = typeText(value.getType());
  Value from = base(value, operand.casts);
  operand.argument = loopArgument(from);
  auto found = operations.find(from);
  if (found != operations.end())
    operand.operation = found->second;
  else
    operand.label = labelOf(from);
  return operand;
}

/// Operand of the op of a number, which becomes a reader of the casts on the way.
Operand GraphReader::readBy(int number, Value value) {
  Operand operand = operandOf(value);
  for (int cast : operand.casts)
    if (!llvm::is_contained(step.casts[cast].readers, number))
      step.casts[cast].readers.push_back(number);
  return operand;
}

int GraphReader::loopAround(mlir::Operation *op) {
  auto scan = op->getParentOfType<train::ScanOp>();
  return scan ? operations.lookup(scan.getResult(0)) : -1;
}

/// Part of an op; a loop's body is in the part of the loop.
StepStage GraphReader::stepStageOf(mlir::Operation *op) {
  mlir::Operation *outer = outermostLoop(op);
  return parts.stepStageOf(outer ? outer : op);
}

/// Op of the report that computes a value: of values that a loop keeps of every round, the op in
/// the loop's body. A loop keeps carried values, rows and values from outside itself.
static mlir::Operation *makerOf(Value value) {
  mlir::Operation *maker = value.getDefiningOp();
  while (auto scan = dyn_cast<train::ScanOp>(maker)) {
    Value passed = flowsFrom(value).front();
    mlir::Operation *inner = passed.getDefiningOp();
    if (cast<OpResult>(value).getResultNumber() < scan.getInits().size() || !inner ||
        inner->getParentOp() != scan || inner->hasTrait<OpTrait::ConstantLike>())
      return scan;
    value = passed;
    maker = inner;
  }
  return maker;
}

static bool isReadByBackward(Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation *user) {
    return !isForward(user) && !user->hasAttr("amp.in_parts");
  });
}

/// Bytes of saved values by the rule of `amp.saved_bytes`: computed before the seed and read
/// behind, but not in a loop over chunks of a loss, which contains both passes. A value of a loop's
/// body counts once per round.
void GraphReader::findSavedBytes() {
  Block &body = func.getBody().front();
  for (mlir::Operation *op = seed ? &body.front() : nullptr; op != seed; op = op->getNextNode())
    for (Value result : op->getResults())
      if (!op->hasTrait<OpTrait::ConstantLike>() && isReadByBackward(result))
        savedBytes[makerOf(result)] += kernel::byteSize(result.getType());
}

/// Adds the results of an op: a result read only by casts to 16 bits is stored rounded; with other
/// consumers the result exists in both types.
void GraphReader::addResults(mlir::Operation *op, report::Op &row) {
  for (OpResult result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue; // a scaled gradient is the value of its operand
    row.f32Bytes += bytesInF32(result.getType());
    SmallVector<mlir::Operation *> roundings;
    bool isRead = result.use_empty();
    for (mlir::Operation *user : result.getUsers())
      if (reasonOfInsertion(user) && isNarrow(user->getResult(0).getType()) &&
          !isNarrow(result.getType()))
        roundings.push_back(user);
      else
        isRead = true;
    std::string types = isRead ? elementText(result.getType()) : "";
    row.bytes += isRead ? kernel::byteSize(result.getType()) : 0;
    for (mlir::Operation *rounding : roundings) {
      types += (types.empty() ? "" : " and ") + elementText(rounding->getResult(0).getType());
      row.bytes += kernel::byteSize(rounding->getResult(0).getType());
    }
    if (result.getResultNumber() == 0)
      row.stored = types;
  }
}

static std::string computeType(mlir::Operation *op) {
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (isa<FloatType>(getElementTypeOrSelf(value.getType())))
        return elementText(value.getType());
  return op->getNumResults() ? elementText(op->getResult(0).getType()) : "";
}

void GraphReader::addOperation(mlir::Operation *op) {
  report::Op row;
  row.name = nameOf(op);
  row.kind = op->getName().getStringRef().str();
  row.id = uniqueId(row.name, op->getName().stripDialect());
  row.part = stepStageOf(op);
  train::OriginAttr origin = originOf(op);
  row.loop = loopAround(op);
  row.rounds = runsOf(op);
  row.group = row.loop >= 0                      ? step.operations[row.loop].group
              : row.part == StepStage::Optimizer ? parts.parameterOf(op)
              : origin                           ? origin.getName().str()
                                                 : row.name;
  row.category = categoryOf(op);
  if (auto decision = op->getAttrOfType<amp::DecisionAttr>(amp::DecisionAttr::key)) {
    row.rule = decision.getRule().str();
    row.reason = decision.getReason().str();
  }
  row.compute = computeType(op);
  if (op->getNumResults() && isa<RankedTensorType>(op->getResult(0).getType()))
    row.shape = shapeText(op->getResult(0).getType());
  addResults(op, row);
  if (row.stored.empty())
    row.stored = row.compute;
  row.savedBytes = savedBytes.lookup(op);
  row.recomputed = op->hasAttr("amp.recompute");
  row.place = placeOf(op->getLoc());
  int number = step.operations.size();
  for (Value operand : op->getOperands())
    row.operands.push_back(readBy(number, operand));
  for (Value result : op->getResults())
    operations[result] = number;
  if (auto scan = dyn_cast<train::ScanOp>(op))
    addLoop(scan, row);
  step.operations.push_back(std::move(row));
}

void GraphReader::addLoop(train::ScanOp scan, report::Op &row) {
  row.bodyRounds = scan.getRounds();
  for (BlockArgument argument : scan.getBody().getArguments())
    operations[argument] = step.operations.size();
}

void GraphReader::addNext(train::NextOp next) {
  int number = loopAround(next);
  report::Op &loop = step.operations[number];
  for (Value value : next.getCarried())
    loop.next.push_back(readBy(number, value));
  for (Value value : next.getEach())
    loop.each.push_back(readBy(number, value));
}

void GraphReader::addCast(train::CastOp op, StringAttr why) {
  Cast row;
  row.id = uniqueId(nameOf(op), "inserted_cast");
  row.from = elementText(op.getX().getType());
  row.to = elementText(op.getResult().getType());
  row.reason = why.str();
  row.shape = shapeText(op.getType());
  row.part = stepStageOf(op);
  row.bytes = kernel::byteSize(op.getType());
  row.savedBytes = savedBytes.lookup(op);
  row.recomputed = op->hasAttr("amp.recompute");
  row.loop = loopAround(op);
  row.rounds = runsOf(op);
  row.place = placeOf(op.getLoc());
  Operand of = operandOf(op.getX());
  row.of = of.operation;
  row.ofLabel = of.label;
  casts[op] = step.casts.size();
  step.casts.push_back(std::move(row));
}

void GraphReader::addInputs() {
  for (BlockArgument argument : func.getArguments()) {
    auto input = Signature(func).argument<train::InputAttr>(argument);
    if (!input)
      continue;
    report::Op row;
    row.name = row.group = input.getName().str();
    row.kind = "input";
    row.id = uniqueId(row.name, row.kind);
    row.part = StepStage::Input;
    row.compute = row.stored = elementText(argument.getType());
    row.shape = shapeText(argument.getType());
    row.f32Bytes = bytesInF32(argument.getType());
    row.bytes = kernel::byteSize(argument.getType());
    row.place = placeOf(argument.getLoc());
    operations[argument] = step.operations.size();
    step.operations.push_back(std::move(row));
  }
}

void GraphReader::readScaling() {
  auto number = [](const APFloat &x) { return x.convertToDouble(); };
  if (auto why = func->getAttrOfType<StringAttr>("amp.no_scaling"))
    step.lossScaling["left_out_because"] = why.str();
  for (auto update : func.getBody().front().getOps<amp::UpdateScaleOp>()) {
    amp::ScalingAttr scaling = update.getScaling();
    step.lossScaling = llvm::json::Object{
        {"dynamic", scaling.getDynamic()},         {"initial", number(scaling.getInitial())},
        {"growth", number(scaling.getGrowth())},   {"interval", scaling.getInterval()},
        {"backoff", number(scaling.getBackoff())}, {"floor", number(scaling.getFloor())},
        {"cap", number(scaling.getCap())},         {"hysteresis", scaling.getHysteresis()}};
  }
  if (auto scale = func->getAttrOfType<FlatSymbolRefAttr>("amp.scale"))
    step.lossScaling["state"] = scale.getValue().str();
}

void GraphReader::readNumbers() {
  for (OpOperand &result : func.getBody().front().getTerminator()->getOpOperands()) {
    auto output = Signature(func).result<train::OutputAttr>(result.getOperandNumber());
    if (output && output.getKind() == train::Output::Named)
      step.numbers.emplace_back(output.getPublicName(), operandOf(result.get()));
  }
}

void GraphReader::addToGraph(mlir::Operation *op) {
  if (auto next = dyn_cast<train::NextOp>(op))
    addNext(next);
  else if (StringAttr why = reasonOfInsertion(op))
    addCast(cast<train::CastOp>(op), why);
  else if (!op->hasTrait<OpTrait::ConstantLike>() && !op->hasTrait<OpTrait::IsTerminator>())
    addOperation(op);
}

void GraphReader::run() {
  if (auto bytes = func->getAttrOfType<IntegerAttr>("amp.saved_bytes"))
    step.savedValueBytes = bytes.getInt();
  step.checkpoints = CheckpointCosts::of(func);
  step.budget = BudgetCosts::of(func);
  if (auto costs = func->getAttrOfType<DictionaryAttr>("amp.costs"))
    for (NamedAttribute cost : costs)
      step.policyCosts[cost.getName().str()] = cast<IntegerAttr>(cost.getValue()).getInt();
  readScaling();
  addInputs();
  findSavedBytes();
  func.getBody().front().walk<WalkOrder::PreOrder>([&](mlir::Operation *op) { addToGraph(op); });
  readNumbers();
}

void Compilation::readGraph(ModuleOp module) {
  for (auto declared : module.getOps<train::ModelOp>()) {
    model = declared.getSymName().str();
    for (auto func : declared.getOps<train::FuncOp>()) {
      if (!func.is(train::Role::Train) || !func.getStep())
        continue;
      steps.emplace_back();
      steps.back().name = func.getStep()->str();
      GraphReader(func, steps.back()).run();
    }
  }
}
