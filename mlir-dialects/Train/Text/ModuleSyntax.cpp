// Uses of modules as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "mlir-dialects/Train/Program/Modules.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

// ---- train.use ----

static Attribute attributeOf(const SizeNumber &number, Builder &b) {
  if (isReal(number))
    return b.getF64FloatAttr(realOf(number));
  return b.getI64IntegerAttr(std::get<int64_t>(number));
}
static SizeNumber numberOf(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  return cast<IntegerAttr>(attribute).getInt();
}

/// Parses an optional `(name = formula, ...)`; returns the formulas as text, and their numbers.
static ParseResult parseGiven(OpAsmParser &parser, NamedAttrList &formulas,
                              NamedAttrList &numbers) {
  Builder &b = parser.getBuilder();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
        StringRef name;
        std::string formula;
        SizeNumber value;
        SMLoc place = parser.getCurrentLocation();
        if (parseNamedSize(parser, name, value, formula))
          return failure();
        if (formulas.get(name))
          return parser.emitError(place)
                 << "expected every size once, but got " << name << " twice";
        formulas.append(name, b.getStringAttr(formula.empty() ? textOf(value) : formula));
        numbers.append(name, attributeOf(value, b));
        return success();
      });
}

static std::unique_ptr<ModuleInstance> makeInstance(ModelOp module, StringRef prefix,
                                                    const Sizes *around, DictionaryAttr numbers,
                                                    Location place) {
  ModuleInstance::Numbers given;
  for (NamedAttribute each : numbers)
    given[each.getName().str()] = numberOf(each.getValue());
  auto instance = std::make_unique<ModuleInstance>(module, prefix.str(), nullptr, around);
  return succeeded(instance->fill(given, place)) ? std::move(instance) : nullptr;
}

/// Records an instance of a module; errors of the instantiation are emitted at the use.
static ParseResult noteInstance(OpAsmParser &parser, SMLoc place, StringAttr module,
                                StringAttr name, DictionaryAttr numbers, int64_t times) {
  ParseScope *model = ParseScope::model(parser.getContext());
  const Sizes *around = nullptr;
  ModelOp found = findParsedModule(parser.getContext(), module, around);
  if (!model || !found) {
    SmallVector<std::string> names;
    for (const ParseScope *scope = model; scope; scope = scope->getOuter())
      for (const auto &each : scope->modules)
        names.push_back(each.getKey().str());
    return parser.emitError(place) << "expected an earlier module, but @" << module.getValue()
                                   << " is none" << suggestion(module, names);
  }
  Location loc = parser.getEncodedSourceLoc(place);
  // The module is verified first, because instantiation relies on a valid module.
  if (failed(mlir::verify(found)) || !makeInstance(found, name, around, numbers, loc))
    return failure();
  Builder &b = parser.getBuilder();
  auto facts =
      b.getDictionaryAttr({b.getNamedAttr("module", module), b.getNamedAttr("numbers", numbers),
                           b.getNamedAttr("times", b.getI64IntegerAttr(times))});
  if (!model->instances.try_emplace(name.getValue(), facts).second)
    return parser.emitError(place)
           << "expected every name in use once, but got @" << name.getValue() << " twice";
  return success();
}

ParseResult UseOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc place = parser.getCurrentLocation();
  StringAttr module, name;
  NamedAttrList formulas, numbers;
  std::string text;
  int64_t times = 1;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseSymbolName(module))
    return failure();
  name = module;
  if (succeeded(parser.parseOptionalKeyword("as")) && parser.parseSymbolName(name))
    return failure();
  if (parseGiven(parser, formulas, numbers))
    return failure();
  Builder &b = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("times"))) {
    SMLoc at = parser.getCurrentLocation();
    if (parseSize(parser, times, text))
      return failure();
    if (times < 1 || times > 10000)
      return parser.emitError(at) << "expected 1 to 10000 of @" << module.getValue() << ", but got "
                                  << times;
    properties.times = b.getStringAttr(text.empty() ? std::to_string(times) : text);
  }
  if (succeeded(parser.parseOptionalKeyword("frozen")))
    properties.frozen = b.getUnitAttr();
  properties.module = FlatSymbolRefAttr::get(module);
  properties.instance = name;
  if (!formulas.empty())
    properties.given = formulas.getDictionary(b.getContext());
  return failure(
      parser.parseOptionalAttrDict(result.attributes) ||
      noteInstance(parser, place, module, name, numbers.getDictionary(b.getContext()), times));
}

void UseOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getModule());
  if (getInstance() != getModule()) {
    p << " as ";
    p.printSymbolName(getInstance());
  }
  if (getGivenAttr()) {
    p << " (";
    llvm::interleaveComma(getGivenAttr(), p, [&](NamedAttribute each) {
      p << each.getName().strref() << " = " << cast<StringAttr>(each.getValue()).strref();
    });
    p << ')';
  }
  if (getTimes())
    p << " times " << *getTimes();
  if (getFrozen())
    p << " frozen";
  p.printOptionalAttrDict((*this)->getDiscardableAttrs().empty()
                              ? ArrayRef<NamedAttribute>()
                              : (*this)->getDiscardableAttrDictionary().getValue());
}

LogicalResult UseOp::verify() {
  if (!isa_and_nonnull<ModelOp>((*this)->getParentOp())) // 1.
    return emitOpError() << "expected a train.model around the op";
  for (NamedAttribute each :
       getGivenAttr() ? getGivenAttr().getValue() : ArrayRef<NamedAttribute>())
    if (!isa<StringAttr>(each.getValue())) // 2.
      return emitOpError() << "expected formulas of sizes, but got " << each.getValue();
  return success();
}

// ---- train.apply ----

/// Type of a function of an instance, which the text has declared before.
static FailureOr<FunctionType> typeOf(OpAsmParser &parser, SMLoc place, SymbolRefAttr callee,
                                      ArrayRef<Type> operands, int64_t &times) {
  ParseScope *model = ParseScope::model(parser.getContext());
  StringRef name = callee.getRootReference().getValue();
  auto found = model ? model->instances.find(name) : decltype(model->instances.end())();
  if (!model || found == model->instances.end()) {
    SmallVector<std::string> names;
    for (const auto &each : model ? model->instances : llvm::StringMap<Attribute>())
      names.push_back(each.getKey().str());
    return parser.emitError(place) << "expected the name of an earlier train.use, but @" << name
                                   << " is none" << suggestion(name, names);
  }
  auto facts = cast<DictionaryAttr>(found->second);
  auto module = facts.getAs<StringAttr>("module");
  times = facts.getAs<IntegerAttr>("times").getInt();
  const Sizes *around = nullptr;
  Location loc = parser.getEncodedSourceLoc(place);
  auto instance = makeInstance(findParsedModule(parser.getContext(), module, around), name, around,
                               facts.getAs<DictionaryAttr>("numbers"), loc);
  if (!instance)
    return failure();
  StringRef function =
      callee.getNestedReferences().empty() ? "apply" : callee.getLeafReference().getValue();
  FuncOp func = instance->findFunction(function);
  if (!func) {
    SmallVector<std::string> names;
    for (auto each : instance->model.getBody().front().getOps<FuncOp>())
      names.push_back(each.getSymName().str());
    return parser.emitError(place) << "expected a function of @" << module.getValue() << ", but @"
                                   << function << " is none" << suggestion(function, names);
  }
  UseNote note(loc, module);
  OwningOpRef<FuncOp> copy = instance->expandFor(operands, func, "");
  return copy ? FailureOr<FunctionType>(copy->getFunctionType())
              : FailureOr<FunctionType>(failure());
}

namespace ampc::syntax {
static ParseResult parseApplyTypes(OpAsmParser &parser, SymbolRefAttr callee,
                                   const Operands &operands, Types &types, Types &results) {
  SMLoc place = parser.getNameLoc();
  if (auto written = parseOptionalTypeOfCall(parser, types, results); written.has_value())
    return *written;
  int64_t times = 1;
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  auto known = llvm::map_to_vector(
      operands, [&](const Operand &operand) { return scope->valueType(operand); });
  FailureOr<FunctionType> found = typeOf(parser, place, callee, known, times);
  if (failed(found))
    return failure();
  FunctionType type = *found;
  if (type.getNumInputs() != operands.size())
    return parser.emitError(place) << "expected " << type.getNumInputs() << " operands of "
                                   << callee << ", but got " << operands.size();
  for (auto [i, operand] : llvm::enumerate(operands))
    if (known[i] && known[i] != type.getInput(i))
      return parser.emitError(operand.location)
             << "expected " << type.getInput(i) << " as operand " << i << " of " << callee
             << ", but got " << known[i];
  if (times > 1 && type.getInputs() != type.getResults())
    return parser.emitError(place) << "expected results with the types (" << type.getInputs()
                                   << ") of the operands, as " << callee << " stands for " << times
                                   << " modules, but got (" << type.getResults() << ")";
  llvm::append_range(types, type.getInputs());
  llvm::append_range(results, type.getResults());
  return success();
}
static void printApplyTypes(OpAsmPrinter &p, Operation *, SymbolRefAttr, OperandRange,
                            TypeRange types, TypeRange results) {
  p << ": ";
  p.printFunctionalType(types, results);
}
} // namespace ampc::syntax
using namespace ampc::syntax;

#define GET_OP_CLASSES
#include "mlir-dialects/Train/ModulesOps.cpp.inc"

void ampc::registerModuleOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<UseOp, ApplyOp>(*dialect);
  });
}
