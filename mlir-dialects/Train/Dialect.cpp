// Registration of the train dialect, and generated definitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Adjoints.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/BatchDimension.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/Results.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

#include "mlir-dialects/Train/Interfaces.cpp.inc"
#include "mlir-dialects/Train/InterfacesAttr.cpp.inc"

#include "mlir-dialects/Train/TrainDialect.cpp.inc"
#include "mlir-dialects/Train/TrainEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Train/TrainAttrs.cpp.inc"

/// Optional `groups` and optional `schedule`.
static ParseResult parseRules(OpAsmParser &parser, ArrayAttr &groups,
                              ScheduleAttrInterface &schedule) {
  if (succeeded(parser.parseOptionalKeyword("groups")) && parseGroups(parser, groups))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule")))
    return parseFormulas(parser, schedule, "schedule");
  return success();
}
static void printRules(OpAsmPrinter &p, Operation *, ArrayAttr groups,
                       ScheduleAttrInterface schedule) {
  if (groups)
    p << " groups " << groups;
  if (schedule)
    p << " schedule " << schedule;
}

/// Parses the type behind a number, as attributes of MLIR are printed.
static ParseResult parseTypeOfNumber(OpAsmParser &parser, SMLoc at, StringRef name, Type expected) {
  Type type;
  if (failed(parser.parseOptionalColon()))
    return success();
  if (parser.parseType(type))
    return failure();
  if (type != expected)
    return parser.emitError(at) << "expected " << name << " of type " << expected << ", but got "
                                << type;
  return success();
}

/// Parses the value of an attribute of a step; numbers are plain, 1e-3 or 4, or formulas.
static ParseResult parseStepValue(OpAsmParser &parser, SMLoc at, StringRef name,
                                  NamedAttrList &attributes) {
  OperationName step(StepOp::getOperationName(), parser.getContext());
  StringAttr key = parser.getBuilder().getStringAttr(name);
  StringAttr reals[] = {StepOp::getClipNormAttrName(step), StepOp::getClipValueAttrName(step),
                        StepOp::getEmaDecayAttrName(step)};
  FloatAttr real;
  IntegerAttr whole;
  StringAttr text;
  Attribute value;
  if (OptionalParseResult parsed = parser.parseOptionalAttribute(text); parsed.has_value()) {
    if (*parsed)
      return failure();
    value = text;
  } else if (llvm::is_contained(reals, key)) {
    if (parseNumber(parser, real, name) || parseTypeOfNumber(parser, at, name, real.getType()))
      return failure();
    value = real;
  } else if (key == StepOp::getMicroBatchesAttrName(step)) {
    if (parseWhole(parser, whole, name) || parseTypeOfNumber(parser, at, name, whole.getType()))
      return failure();
    value = whole;
  } else if (parseFormulas(parser, value, name)) {
    return failure();
  }
  attributes.append(key, value);
  return success();
}

/// Attribute dictionary of a step.
static ParseResult parseStepAttributes(OpAsmParser &parser, NamedAttrList &attributes) {
  OperationName step(StepOp::getOperationName(), parser.getContext());
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (attributes.get(name))
      return parser.emitError(at) << "expected every attribute once, but got " << name << " again";
    if (succeeded(parser.parseOptionalEqual()))
      return parseStepValue(parser, at, name, attributes);
    attributes.append(name, parser.getBuilder().getUnitAttr());
    return success();
  };
  SMLoc place = parser.getCurrentLocation();
  return failure(parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, parseOne) ||
                 failed(StepOp::verifyInherentAttrs(step, attributes, [&] {
                   return parser.emitError(place) << "'" << step.getStringRef() << "' op ";
                 })));
}
/// Prints the attributes that have no position in the format.
static void printStepAttributes(OpAsmPrinter &p, StepOp op, DictionaryAttr attributes) {
  StringRef placed[] = {op.getSymNameAttrName(), op.getLossAttrName(),
                        op.getParamsAttrName(),  op.getOptimizerAttrName(),
                        op.getGroupsAttrName(),  op.getScheduleAttrName()};
  p.printOptionalAttrDict(attributes.getValue(), placed);
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/TrainOps.cpp.inc"

namespace {
/// Aliases of origins: many ops share an origin, which is printed once, under an alias derived from
/// the op's name.
struct OriginNames : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    auto origin = dyn_cast<OriginAttr>(attribute);
    if (!origin)
      return AliasResult::NoAlias;
    StringRef name = origin.getName().getValue();
    for (char c : name.substr(name.rfind('/') + 1))
      os << (llvm::isAlnum(c) ? c : '_');
    os << (origin.getOrder() ? "_grad" : "");
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TrainDialect::initialize() {
  addInterfaces<OriginNames, ParseState>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mlir-dialects/Train/TrainAttrs.cpp.inc"
      >();
  addRecordedOperations<
#define GET_OP_LIST
#include "mlir-dialects/Train/TrainOps.cpp.inc"
      >(*this);
  attachBatchDimensions(getContext());
  attachSummands(getContext());
}

bool Saves::operand(unsigned index) const {
  SmallVector<StringRef> names;
  list.split(names, ' ');
  return llvm::is_contained(names, std::to_string(index));
}

int64_t ampc::elementwiseFlops(Operation *op) {
  int64_t most = 0;
  if (!movesOnly(op))
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Type type : values.getTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          most = std::max(most, tensor.getNumElements());
  return most;
}

StringRef ampc::shortName(OperationName name) {
  bool isOwn = name.getDialectNamespace() == TrainDialect::getDialectNamespace();
  return isOwn ? name.stripDialect() : name.getStringRef();
}
std::optional<RegisteredOperationName> ampc::findOp(StringRef shortName, MLIRContext *context) {
  bool isOwn = !shortName.contains('.');
  return RegisteredOperationName::lookup(
      isOwn ? (TrainDialect::getDialectNamespace() + "." + shortName).str() : shortName.str(),
      context);
}

StringRef Lists::find(StringRef policy) const {
  for (StringRef rest = text; !rest.empty();) {
    auto [entry, others] = rest.split(' ');
    if (auto [name, list] = entry.split('='); name == policy)
      return list;
    rest = others;
  }
  return {};
}
