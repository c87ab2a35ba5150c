// Knobs: text and verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

// ---- Text ----

/// `: f64[]`, or nothing: f32.
static ParseResult parseKnobType(OpAsmParser &parser, TypeAttr &type) {
  Type parsed = RankedTensorType::get({}, parser.getBuilder().getF32Type());
  std::string formulas;
  if (succeeded(parser.parseOptionalColon()) && parseTensorType(parser, parsed, formulas))
    return failure();
  type = TypeAttr::get(parsed);
  return success();
}

/// A number or formula as `#train.fill`.
static ParseResult parseKnobValue(OpAsmParser &parser, InitAttrInterface &init) {
  std::string formula;
  FailureOr<APFloat> value = parseReal(parser, formula);
  if (failed(value))
    return failure();
  init = FillAttr::get(parser.getContext(), *value);
  if (!formula.empty())
    recordFormulas(parser, "init",
                   parser.getBuilder().getStringAttr("#train.fill<" + formula + ">"));
  return success();
}

/// `= VALUE in [LOW, HIGH]`.
static ParseResult parseKnob(OpAsmParser &parser, TypeAttr &type, InitAttrInterface &init,
                             FloatAttr &low, FloatAttr &high) {
  return failure(parseKnobType(parser, type) || parser.parseEqual() ||
                 parseKnobValue(parser, init) || parser.parseKeyword("in") ||
                 parser.parseLSquare() || parseNumber(parser, low, "low") || parser.parseComma() ||
                 parseNumber(parser, high, "high") || parser.parseRSquare());
}

static void printKnob(OpAsmPrinter &p, KnobOp op, TypeAttr type, InitAttrInterface init,
                      FloatAttr low, FloatAttr high) {
  if (!getElementTypeOrSelf(type.getValue()).isF32())
    p << ": " << type.getValue() << ' ';
  p << "= ";
  p.printFloat(cast<FillAttr>(init).getValue());
  p << " in [";
  printNumber(p, op, low);
  p << ", ";
  printNumber(p, op, high);
  p << ']';
}

/// `schedule #train.cosine<...> of @fit`, or nothing.
static ParseResult parseKnobSchedule(OpAsmParser &parser, ScheduleAttrInterface &schedule,
                                     FlatSymbolRefAttr &step) {
  if (failed(parser.parseOptionalKeyword("schedule")))
    return success();
  return failure(parseFormulas(parser, schedule, "schedule") || parser.parseKeyword("of") ||
                 parser.parseAttribute(step));
}

static void printKnobSchedule(OpAsmPrinter &p, KnobOp, ScheduleAttrInterface schedule,
                              FlatSymbolRefAttr step) {
  if (schedule)
    p << " schedule " << schedule << " of " << step;
}

template <> ParseResult ampc::completeOp<KnobOp>(OpAsmParser &parser, OperationState &state) {
  auto &knob = state.getOrAddProperties<KnobOp::Properties>();
  ParseScope *model = ParseScope::model(parser.getContext());
  if (auto fill = dyn_cast<FillAttr>(knob.init); model && fill)
    model->knobs[knob.sym_name.getValue()] = {number(fill.getValue()), knob.low.getValueAsDouble(),
                                              knob.high.getValueAsDouble()};
  if (model)
    for (StringRef name = knob.sym_name.getValue();
         const std::string &each : {name.str(), operandNameOf(name)})
      model->states[each] = knob.type.getValue();
  return success();
}

// ---- Verification ----

/// A number as an element of the type, which may be infinite.
static double rounded(double value, Type type) {
  return type.isF32() ? double(float(value)) : value;
}

std::vector<double> ampc::rangeOf(KnobOp knob) {
  Type element = getElementTypeOrSelf(knob.getType());
  return {rounded(number(knob.getLow()), element), rounded(number(knob.getHigh()), element)};
}

LogicalResult KnobOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getType());
  Type element = getElementTypeOrSelf(getType());
  if (!tensor || tensor.getRank() || !(element.isF32() || element.isF64())) // 1.
    return emitOpError() << "expected a scalar of f32 or f64, but got " << getType();
  double low = rangeOf(*this)[0], high = rangeOf(*this)[1];
  std::string range = "[" + textOf(number(getLow())) + ", " + textOf(number(getHigh())) + "]";
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) // 2.
    return emitOpError() << "expected a range [low, high] of finite numbers of " << element
                         << " with low below high, but got " << range;
  auto fill = dyn_cast<FillAttr>(getInit());
  if (!fill) // 3.
    return emitOpError() << "expected a number as first value, but got " << getInit();
  double value = rounded(number(fill.getValue()), element);
  if (!(value >= low && value <= high)) // 3.
    return emitOpError() << "expected a first value in " << range << ", but got "
                         << textOf(number(fill.getValue()));
  return success();
}

LogicalResult KnobOp::verifySymbolUses(SymbolTableCollection &symbols) {
  bool hasBoth = getSchedule() && getStepAttr();
  if (bool(getSchedule()) != bool(getStepAttr()) ||
      (hasBoth && !symbols.lookupNearestSymbolFrom<StepOp>(*this, getStepAttr()))) // 4.
    return emitOpError() << "expected a schedule of a step, but " << getStepAttr() << " is none";
  return success();
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/KnobOps.cpp.inc"

void ampc::registerKnobOps(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, TrainDialect *dialect) { addRecordedOperations<KnobOp>(*dialect); });
}
