// Registration, presets and verifiers of the amp dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

using namespace ampc::syntax;
static ParseResult parseScaling(OpAsmParser &parser, ScalingAttr &scaling);
static void printScaling(OpAsmPrinter &printer, Operation *, ScalingAttr scaling);

#include "mlir-dialects/Amp/AmpDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Amp/AmpAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "mlir-dialects/Amp/AmpTypes.cpp.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Amp/AmpOps.cpp.inc"

template <> ParseResult ampc::completeOp<AutocastOp>(OpAsmParser &, OperationState &);

void AmpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mlir-dialects/Amp/AmpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mlir-dialects/Amp/AmpTypes.cpp.inc"
      >();
  addRecordedOperations<
#define GET_OP_LIST
#include "mlir-dialects/Amp/AmpOps.cpp.inc"
      >(*this);
}

void ampc::setDecision(Operation *op, StringRef rule, const Twine &reason) {
  Builder builder(op->getContext());
  op->setDiscardableAttr(DecisionAttr::key,
                         DecisionAttr::get(op->getContext(), builder.getStringAttr(rule),
                                           builder.getStringAttr(reason)));
}

StringAttr ampc::reasonOfInsertion(Operation *op) {
  auto decision = op->getAttrOfType<DecisionAttr>(DecisionAttr::key);
  return decision && decision.isInserted() ? decision.getReason() : StringAttr();
}

static constexpr llvm::StringLiteral checkpointsKey = "amp.checkpoints", budgetKey = "amp.budget";

/// Reads a table of numbers; false if the program has none.
static bool readTable(Operation *program, StringRef key,
                      ArrayRef<std::pair<StringRef, int64_t *>> numbers) {
  auto table = program->getAttrOfType<DictionaryAttr>(key);
  for (auto [name, number] : numbers) {
    auto value = table ? table.getAs<IntegerAttr>(name) : nullptr;
    *number = value ? value.getInt() : 0;
  }
  return bool(table);
}

static void writeTable(Operation *program, StringRef key,
                       ArrayRef<std::pair<StringRef, int64_t>> numbers) {
  Builder b(program->getContext());
  NamedAttrList table;
  for (auto [name, number] : numbers)
    table.set(name, b.getI64IntegerAttr(number));
  program->setAttr(key, table.getDictionary(program->getContext()));
}

std::optional<CheckpointCosts> CheckpointCosts::of(Operation *program) {
  CheckpointCosts costs;
  bool isThere = readTable(program, checkpointsKey,
                           {{"saved_bytes_without", &costs.savedWithout},
                            {"flops", &costs.flops},
                            {"flops_again", &costs.flopsAgain}});
  return isThere ? std::optional(costs) : std::nullopt;
}

void CheckpointCosts::attachTo(Operation *program) const {
  writeTable(
      program, checkpointsKey,
      {{"saved_bytes_without", savedWithout}, {"flops", flops}, {"flops_again", flopsAgain}});
}

std::optional<BudgetCosts> BudgetCosts::of(Operation *program) {
  BudgetCosts costs;
  bool isThere = readTable(
      program, budgetKey,
      {{"bytes", &costs.budget}, {"held", &costs.held}, {"held_without", &costs.without}});
  return isThere ? std::optional(costs) : std::nullopt;
}

void BudgetCosts::attachTo(Operation *program) const {
  writeTable(program, budgetKey, {{"bytes", budget}, {"held", held}, {"held_without", without}});
}

/// Checks an attribute of the precision phases. Returns the expected content if `value` differs,
/// and nullopt for valid values and other attributes.
static std::optional<std::string> misfitOf(StringRef name, Attribute value, Operation *op) {
  auto isTypes = [](Attribute list) {
    auto types = dyn_cast<ArrayAttr>(list);
    return types && types.size() == 2 &&
           llvm::all_of(types, [](Attribute type) { return isa<TypeAttr>(type); });
  };
  auto isBytes = [](Attribute table) {
    auto costs = dyn_cast<DictionaryAttr>(table);
    return costs && llvm::all_of(costs, [](NamedAttribute cost) {
             return isa<IntegerAttr>(cost.getValue());
           });
  };
  auto isRounding = [](Attribute text) {
    auto word = dyn_cast<StringAttr>(text);
    return word && (word == "nearest" || word == "stochastic");
  };
  struct Fact {
    StringRef name, expected;
    bool isRight, ofProgram = false;
  };
  const Fact facts[] = {
      {DecisionAttr::key, "#amp.decision<...>", isa<DecisionAttr>(value)},
      {"amp.compute", "two types", isTypes(value)},
      {"amp.recompute", "no value", isa<UnitAttr>(value)},
      {"amp.in_parts", "no value", isa<UnitAttr>(value)},
      {"amp.scaler", "@NAME", isa<FlatSymbolRefAttr>(value)},
      {"amp.scale", "@NAME", isa<FlatSymbolRefAttr>(value), true},
      {"amp.no_scaling", "a text", isa<StringAttr>(value), true},
      {"amp.weight_rounding", "\"nearest\" or \"stochastic\"", isRounding(value), true},
      {"amp.saved_bytes", "a number", isa<IntegerAttr>(value), true},
      {checkpointsKey, "a table of numbers", isBytes(value), true},
      {budgetKey, "a table of numbers", isBytes(value), true},
      {"amp.costs", "a table of numbers", isBytes(value), true},
  };
  for (const Fact &fact : facts)
    if (name == fact.name) {
      if (!fact.isRight)
        return fact.expected.str();
      if (fact.ofProgram && !isa<ProgramOpInterface>(op))
        return fact.expected.str() + " on a program";
      return std::nullopt;
    }
  return "one of the facts that the dialect lists";
}

LogicalResult AmpDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (auto expected = misfitOf(attribute.getName(), attribute.getValue(), op))
    return op->emitOpError() << "expected " << attribute.getName().getValue() << " = " << *expected
                             << ", but got " << attribute.getValue();
  return success();
}

// ---- Scaling ----

// torch/amp/grad_scaler.py; Keras LossScaleOptimizer (dynamic, not below 1); apex.amp (at most
// 2^24); paddle.amp.AmpScaler.
ScalingAttr ScalingAttr::getPreset(MLIRContext *context, StringRef name) {
  auto make = [&](double initial, int64_t interval, double floor, double cap) {
    return get(context, true, APFloat(initial), APFloat(2.0), interval, APFloat(0.5),
               APFloat(floor), APFloat(cap), 1);
  };
  return llvm::StringSwitch<ScalingAttr>(name)
      .Case("torch", make(65536.0, 2000, 0.0, 0.0))
      .Case("tf", make(32768.0, 2000, 1.0, 0.0))
      .Case("apex", make(65536.0, 2000, 0.0, 16777216.0))
      .Case("paddle", make(32768.0, 1000, 0.0, 0.0))
      .Default(nullptr);
}

double ScalingAttr::withinLimits(double scale) const {
  scale = std::max(scale, getFloor().convertToDouble());
  return getCap().isZero() ? scale : std::min(scale, getCap().convertToDouble());
}

ArrayRef<StringLiteral> ScalingAttr::getPresetNames() {
  static constexpr StringLiteral names[] = {"torch", "tf", "apex", "paddle"};
  return names;
}

LogicalResult ScalingAttr::verify(function_ref<InFlightDiagnostic()> emitError, bool,
                                  APFloat initial, APFloat growth, int64_t interval,
                                  APFloat backoff, APFloat floor, APFloat cap, int64_t hysteresis) {
  auto number = [](const APFloat &x) { return x.convertToDouble(); };
  double start = number(initial), low = number(floor), high = number(cap);
  // Normal f32 numbers with a normal reciprocal, e.g. 2^-126 to 2^126.
  auto isInvertible = [](double scale) { return scale >= 0x1p-126 && scale <= 0x1p126; };
  if (!isInvertible(start))
    return emitError() << "expected an initial scale in [2^-126, 2^126], so that f32 holds its "
                          "reciprocal, but got "
                       << start;
  if (!(number(growth) >= 1))
    return emitError() << "expected a growth of at least 1, but got " << number(growth);
  if (float rounded = float(number(backoff)); !(rounded > 0) || !(rounded < 1))
    return emitError() << "expected a backoff that lies between 0 and 1 in f32, but got "
                       << number(backoff);
  constexpr int64_t most = std::numeric_limits<int32_t>::max(); // the state counts in i32
  if (interval < 1 || hysteresis < 1 || interval > most || hysteresis > most)
    return emitError() << "expected an interval and a hysteresis in [1, 2^31), but got " << interval
                       << " and " << hysteresis;
  if ((low != 0 && !isInvertible(low)) || (high != 0 && !isInvertible(high)))
    return emitError() << "expected a floor and a cap of 0 or in [2^-126, 2^126], but got " << low
                       << " and " << high;
  if (!(low >= 0) || low > start || (high != 0 && !(high >= start)))
    return emitError() << "expected floor <= initial <= cap, but got " << low << ", " << start
                       << " and " << high;
  return success();
}

static ParseResult parseScaling(OpAsmParser &parser, ScalingAttr &scaling) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&name)))
    return parser.parseAttribute(scaling);
  scaling = ScalingAttr::getPreset(parser.getContext(), name);
  if (!scaling)
    return parser.emitError(loc) << "expected " << joinWords(ScalingAttr::getPresetNames())
                                 << ", but got " << name;
  return success();
}
static void printScaling(OpAsmPrinter &printer, Operation *, ScalingAttr scaling) {
  printer.printAttribute(scaling);
}

// ---- Regions ----

/// Without written types, the result types are the types of the yielded values.
template <> ParseResult ampc::completeOp<AutocastOp>(OpAsmParser &, OperationState &state) {
  Region &body = *state.regions.front();
  if (state.types.empty() && !body.empty() && !body.front().empty())
    if (auto yield = dyn_cast<YieldOp>(body.front().back()))
      state.addTypes(yield.getOperandTypes());
  return success();
}

// ---- Verifiers ----

LogicalResult ScaledType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType type) {
  if (!isa<FloatType>(type.getElementType()))
    return emitError() << "expected a tensor of reals, but got " << type;
  return success();
}

LogicalResult AutocastOp::verify() {
  if (getType() && !getType()->isBF16() && !getType()->isF16() && !getType()->isF32()) // 1.
    return emitOpError() << "expected bf16, f16 or f32, but got " << *getType();
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes()) // 2.
    return emitOpError() << "expected a region that yields values of types (" << getResultTypes()
                         << ")";
  return success();
}

LogicalResult UnscaleOp::verify() {
  auto type = cast<RankedTensorType>(getX().getType().getType());
  if (!type.getElementType().isF64())
    type = type.clone(Float32Type::get(getContext()));
  if (getResult().getType() != type) // 1.
    return emitOpError() << "expected a result of " << type << ", but got "
                         << getResult().getType();
  auto again = llvm::find_if(
      getX().getUsers(), [&](Operation *user) { return user != *this && isa<UnscaleOp>(user); });
  if (again != getX().getUsers().end()) // 2.
    return emitOpError("expected a gradient that is unscaled once, but got two unscalings");
  return success();
}

LogicalResult UpdateScaleOp::verify() {
  auto isOther = [&](Operation *op) { return op && op != *this && isa<UpdateScaleOp>(op); };
  if (isOther(getScale().getDefiningOp()) || llvm::any_of(getScale().getUsers(), isOther)) // 1.
    return emitOpError("expected one update of a scale in a step, but got two");
  return success();
}
