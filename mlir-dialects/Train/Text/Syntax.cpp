// Directives of assembly formats: types that may be left out, and numbers that may be formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir-dialects/Train/Text/Results.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::syntax;

// ---- Types ----

/// Parses the written type of an operand or result, a tensor.
static ParseResult parseTensor(OpAsmParser &parser, Type &type, std::string &formulas) {
  SMLoc place = parser.getCurrentLocation();
  if (parseTensorType(parser, type, formulas))
    return failure();
  if (!isa<RankedTensorType>(type))
    return parser.emitError(place) << "expected a tensor with a rank, but got " << type;
  return success();
}

static ParseResult parseTensor(OpAsmParser &parser, Type &type) {
  std::string formulas;
  return parseTensor(parser, type, formulas);
}

/// Records the formula of the attribute `name`, if there is one.
static void noteFormula(OpAsmParser &parser, StringRef name, StringRef formula) {
  if (!formula.empty())
    recordFormulas(parser, name, parser.getBuilder().getStringAttr(formula));
}
static void noteResult(OpAsmParser &parser, StringRef formulas) {
  noteFormula(parser, "result", formulas);
}

/// Type of an operand by the scope of the parsed text.
static ParseResult find(OpAsmParser &parser, const Operand &operand, Type &type) {
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  type = scope ? scope->valueType(operand) : Type();
  if (!type)
    return parser.emitError(operand.location)
           << "expected the type of " << operand.name
           << " at the end of the op, as no earlier op defines the value";
  if (!isa<RankedTensorType>(type))
    return parser.emitError(operand.location)
           << "expected " << operand.name << " to be a tensor, but got " << type;
  return success();
}

/// The type of every operand, by `get`.
static ParseResult fill(OpAsmParser &parser, ArrayRef<Slot> slots,
                        function_ref<ParseResult(const Operand &, Type &)> get) {
  for (const Slot &slot : slots)
    for (const Operand &operand : slot.operands)
      if (get(operand, slot.one ? *slot.one : slot.several->emplace_back()))
        return failure();
  return success();
}

/// Parses comma-separated types in operand order.
static ParseResult parseList(OpAsmParser &parser, ArrayRef<Slot> slots) {
  bool isFirst = true;
  return fill(parser, slots, [&](const Operand &, Type &type) -> ParseResult {
    if (!std::exchange(isFirst, false) && parser.parseComma())
      return failure();
    return parseTensor(parser, type);
  });
}

static ParseResult findAll(OpAsmParser &parser, ArrayRef<Slot> slots) {
  return fill(parser, slots,
              [&](const Operand &operand, Type &type) { return find(parser, operand, type); });
}

ParseResult syntax::parseSlots(OpAsmParser &parser, ArrayRef<Slot> slots) {
  return succeeded(parser.parseOptionalColon()) ? parseList(parser, slots) : findAll(parser, slots);
}

void syntax::printTypeList(OpAsmPrinter &p, ArrayRef<Type> types) {
  p << ": ";
  llvm::interleaveComma(types, p);
}

/// The result type stays null if operands and attributes determine the type.
ParseResult syntax::parseProduct(OpAsmParser &parser, ArrayRef<Slot> slots, Type &result) {
  if (failed(parser.parseOptionalColon()))
    return findAll(parser, slots);
  if (parser.parseLParen() || parseList(parser, slots) || parser.parseRParen() ||
      parser.parseArrow())
    return failure();
  bool isInParentheses = succeeded(parser.parseOptionalLParen());
  std::string formulas;
  if (parseTensor(parser, result, formulas) || (isInParentheses && parser.parseRParen()))
    return failure();
  noteResult(parser, formulas);
  return success();
}

void syntax::printProductTypes(OpAsmPrinter &p, Operation *, Value, Type a, Value, Type b,
                               Type result) {
  p << ": (" << a << ", " << b << ") -> " << result;
}

// ---- Results ----

ParseResult syntax::parseResultType(OpAsmParser &parser, Type &result) {
  SMLoc place = parser.getCurrentLocation();
  std::string formulas;
  if (parseTensorType(parser, result, formulas))
    return failure();
  if (!isa<RankedTensorType>(result))
    return parser.emitError(place) << "expected a tensor with a rank, but got " << result;
  noteResult(parser, formulas);
  return success();
}
void syntax::printResultType(OpAsmPrinter &p, Operation *, Type result) { p << result; }

ParseResult syntax::parseTypeTo(OpAsmParser &parser, const Operand &x, Type &type, Type &result) {
  bool isWritten = succeeded(parser.parseOptionalColon());
  if ((isWritten ? parseTensor(parser, type) : find(parser, x, type)) || parser.parseKeyword("to"))
    return failure();
  SMLoc place = parser.getCurrentLocation();
  std::string formulas;
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> shape;
    if (parseSizesInBrackets(parser, shape, formulas))
      return failure();
    if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
      return parser.emitError(place) << "expected positive sizes, but got [" << shape << "]";
    result = cast<RankedTensorType>(type).clone(shape);
  } else if (parseTensorType(parser, result, formulas)) {
    return failure();
  } else if (!isWritten && result.isIntOrFloat()) {
    result = cast<RankedTensorType>(type).clone(result);
  }
  if (!isa<RankedTensorType>(result))
    return parser.emitError(place) << "expected a tensor with a rank, but got " << result;
  noteResult(parser, formulas);
  return success();
}
void syntax::printTypeTo(OpAsmPrinter &p, Operation *, Value, Type type, Type result) {
  p << ": " << type << " to " << result;
}

// ---- State and functions ----

ParseResult syntax::parseDeclaredType(OpAsmParser &parser, TypeAttr &attr) {
  Type type;
  std::string formulas;
  if (parseTensorType(parser, type, formulas))
    return failure();
  attr = TypeAttr::get(type);
  noteFormula(parser, "type", formulas);
  return success();
}
void syntax::printDeclaredType(OpAsmPrinter &p, Operation *, TypeAttr type) { p << type; }

template <typename Map> static SmallVector<std::string> keysOf(const Map &map) {
  SmallVector<std::string> keys;
  for (const auto &entry : map)
    if (!entry.getKey().starts_with("@")) // a knob has two entries
      keys.push_back(entry.getKey().str());
  llvm::sort(keys);
  return keys;
}

ParseResult syntax::parseStateType(OpAsmParser &parser, FlatSymbolRefAttr state, Type &type) {
  SMLoc place = parser.getNameLoc();
  if (succeeded(parser.parseOptionalColon()))
    return parseTensor(parser, type);
  ParseScope *model = ParseScope::model(parser.getContext());
  auto found = model ? model->states.find(state.getValue()) : decltype(model->states.end())();
  if (!model || found == model->states.end())
    return parser.emitError(place)
           << "expected a type, or an earlier parameter or buffer, but " << state << " is none"
           << (model ? suggestion(state.getValue(), keysOf(model->states)) : "");
  type = found->second;
  return success();
}
void syntax::printStateType(OpAsmPrinter &p, Operation *, FlatSymbolRefAttr, Type type) {
  p << ": " << type;
}

OptionalParseResult syntax::parseOptionalTypeOfCall(OpAsmParser &parser, Types &types,
                                                    Types &results) {
  FunctionType type;
  if (failed(parser.parseOptionalColon()))
    return std::nullopt;
  if (parser.parseType(type))
    return failure();
  llvm::append_range(types, type.getInputs());
  llvm::append_range(results, type.getResults());
  return success();
}

ParseResult syntax::parseCallTypes(OpAsmParser &parser, FlatSymbolRefAttr callee,
                                   const Operands &operands, Types &types, Types &results) {
  SMLoc place = parser.getNameLoc();
  if (auto written = parseOptionalTypeOfCall(parser, types, results); written.has_value())
    return *written;
  ParseScope *model = ParseScope::model(parser.getContext());
  auto found =
      model ? model->functions.find(callee.getValue()) : decltype(model->functions.end())();
  if (!model || found == model->functions.end())
    return parser.emitError(place)
           << "expected the types of the call, or an earlier function, but " << callee << " is none"
           << (model ? suggestion(callee.getValue(), keysOf(model->functions)) : "");
  FunctionType type = found->second;
  if (type.getNumInputs() != operands.size())
    return parser.emitError(place) << "expected " << type.getNumInputs() << " operands of "
                                   << callee << ", but got " << operands.size();
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  for (auto [i, operand, input] : llvm::enumerate(operands, type.getInputs())) {
    Type known = scope->valueType(operand);
    if (known && known != input)
      return parser.emitError(operand.location)
             << "expected " << input << " as operand " << i << " of " << callee << ", but got "
             << known << "; the types of a call with other sizes stand behind the call";
    types.push_back(input);
  }
  results.assign(type.getResults().begin(), type.getResults().end());
  return success();
}
void syntax::printCallTypes(OpAsmPrinter &p, Operation *, FlatSymbolRefAttr, OperandRange,
                            TypeRange types, TypeRange results) {
  p << ": ";
  p.printFunctionalType(types, results);
}

// ---- Numbers ----

ParseResult syntax::parseNumber(OpAsmParser &parser, FloatAttr &attribute) {
  FailureOr<APFloat> value = ampc::parseReal(parser);
  if (failed(value))
    return failure();
  attribute = parser.getBuilder().getF64FloatAttr(value->convertToDouble());
  return success();
}
ParseResult syntax::parseNumber(OpAsmParser &parser, FloatAttr &attribute, StringRef name) {
  std::string formula;
  double number;
  if (OptionalParseResult knob = parseOptionalKnobClause(parser, number, name); knob.has_value()) {
    attribute = parser.getBuilder().getF64FloatAttr(number);
    return *knob;
  }
  FailureOr<APFloat> value = parseReal(parser, formula);
  if (failed(value))
    return failure();
  attribute = parser.getBuilder().getF64FloatAttr(value->convertToDouble());
  noteFormula(parser, name, formula);
  return success();
}
void syntax::printNumber(OpAsmPrinter &p, Operation *, FloatAttr attribute) {
  p.printAttributeWithoutType(attribute);
}

ParseResult syntax::parseWhole(OpAsmParser &parser, IntegerAttr &attribute, StringRef name) {
  int64_t value;
  std::string formula;
  if (parseSize(parser, value, formula))
    return failure();
  attribute = parser.getBuilder().getI64IntegerAttr(value);
  noteFormula(parser, name, formula);
  return success();
}
void syntax::printWhole(OpAsmPrinter &p, Operation *, IntegerAttr attribute) {
  p.printAttributeWithoutType(attribute);
}

ParseResult syntax::parseNumbers(OpAsmParser &parser, DenseI64ArrayAttr &numbers, StringRef name) {
  SmallVector<int64_t> values;
  std::string formulas;
  if (parser.parseLSquare() || parseSizesInBrackets(parser, values, formulas))
    return failure();
  numbers = DenseI64ArrayAttr::get(parser.getContext(), values);
  noteFormula(parser, name, formulas);
  return success();
}
void syntax::printNumbers(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr numbers, StringRef) {
  p.printStrippedAttrOrType(numbers);
}

// ---- Steps and exports ----

/// Parses a list in brackets, or the default `otherwise`.
static ParseResult parseParameterList(OpAsmParser &parser, StringRef otherwise, ArrayAttr &list) {
  SMLoc place = parser.getCurrentLocation();
  if (OptionalParseResult found = parser.parseOptionalAttribute(list); found.has_value())
    return *found;
  auto error = parser.emitError(place)
               << "expected parameters in brackets, as in [@weight]" << otherwise;
  StringAttr name;
  std::string pattern;
  if (succeeded(parser.parseOptionalSymbolName(name)))
    error << ", but got @" << name.getValue();
  else if (succeeded(parser.parseOptionalString(&pattern)))
    error << ", but got \"" << pattern << '"';
  return error;
}

ParseResult syntax::parseParameters(OpAsmParser &parser, ArrayAttr &parameters) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> list;
  if (succeeded(parser.parseOptionalKeyword("all"))) {
    list.push_back(b.getStringAttr("*"));
  } else {
    if (parseParameterList(parser, ", or all", parameters))
      return failure();
    llvm::append_range(list, parameters);
  }
  if (succeeded(parser.parseOptionalKeyword("but"))) {
    ArrayAttr without;
    SMLoc place = parser.getCurrentLocation();
    if (parseParameterList(parser, "", without))
      return failure();
    for (Attribute each : without) {
      auto pattern = dyn_cast<StringAttr>(each);
      auto symbol = dyn_cast<FlatSymbolRefAttr>(each);
      if (!pattern && !symbol)
        return parser.emitError(place)
               << "expected parameters or patterns of names, but got " << each;
      list.push_back(b.getStringAttr("!" + (pattern ? pattern.getValue() : symbol.getValue())));
    }
  }
  parameters = b.getArrayAttr(list);
  return success();
}
void syntax::printParameters(OpAsmPrinter &p, Operation *, ArrayAttr parameters) {
  p << parameters;
}

ParseResult syntax::parseBatch(OpAsmParser &parser, NamedAttrList &attributes) {
  int64_t batch;
  bool isWritten = succeeded(parser.parseOptionalKeyword("batch"));
  SMLoc place = parser.getCurrentLocation();
  std::string formula;
  if ((isWritten && parseSize(parser, batch, formula)) || parser.parseOptionalAttrDict(attributes))
    return failure();
  if (!isWritten)
    return success();
  ParseScope *model = ParseScope::model(parser.getContext());
  if (!model || !model->sizes.find("batch"))
    return parser.emitError(place) << "expected a model with a size of the name batch";
  if (batch < 1)
    return parser.emitError(place) << "expected a positive batch, but got " << batch;
  auto text = parser.getBuilder().getStringAttr(std::to_string(batch));
  attributes.set(Sizes::key, parser.getBuilder().getDictionaryAttr(
                                 parser.getBuilder().getNamedAttr("batch", text)));
  return success();
}
void syntax::printBatch(OpAsmPrinter &p, Operation *, DictionaryAttr attributes) {
  p.printOptionalAttrDict(attributes.getValue(), {"function", "name"});
}

/// Parses an optional `as NAME`; `names` receives the name, or an empty string.
static ParseResult parseNameOfResult(OpAsmParser &parser, SmallVectorImpl<std::string> &names) {
  std::string &name = names.emplace_back();
  SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("as")))
    return success();
  if (parser.parseString(&name))
    return failure();
  if (name.empty() || llvm::count(names, name) > 1)
    return parser.emitError(place)
           << "expected a name that no other result has, but got \"" << name << '"';
  return success();
}

/// Result names are stored for the function, which takes the names after its body has been parsed.
ParseResult syntax::parseReturned(OpAsmParser &parser, SmallVectorImpl<Operand> &values,
                                  Types &types) {
  SmallVector<std::string> names;
  Operand value;
  for (OptionalParseResult next = parser.parseOptionalOperand(value); next.has_value();
       next = parser.parseOperand(value)) {
    if (*next || parseNameOfResult(parser, names))
      return failure();
    values.push_back(value);
    if (failed(parser.parseOptionalComma()))
      break;
  }
  if (ParseScope *scope = ParseScope::innermost(parser.getContext()))
    scope->resultNames = std::move(names);
  return values.empty() ? success() : parseSlots(parser, {Slot(values, types)});
}
void syntax::printReturned(OpAsmPrinter &p, Operation *, OperandRange values, TypeRange types) {
  if (values.empty())
    return;
  p << values << ' ';
  printTypeList(p, SmallVector<Type>(types));
}

// ---- Attention ----

/// The result's type is that of a query as wide as values unless types of both results follow.
ParseResult syntax::parseAttentionTypes(OpAsmParser &parser, const Operand &q, Type &query,
                                        const Operand &k, Type &key, const Operand &v, Type &value,
                                        const std::optional<Operand> &b, Type &bias, Type &result,
                                        Type &lse) {
  if (parseSlots(parser, {Slot(q, query), Slot(k, key), Slot(v, value), Slot(b, bias)}))
    return failure();
  result = attentionType(query, value);
  if (succeeded(parser.parseOptionalArrow()))
    return failure(parser.parseType(result) || parser.parseComma() || parser.parseType(lse));
  return success();
}
void syntax::printAttentionTypes(OpAsmPrinter &p, Operation *op, Value q, Type query, Value k,
                                 Type key, Value v, Type value, Value b, Type bias, Type result,
                                 Type lse) {
  printTypes(p, op, q, query, k, key, v, value, b, bias);
  if (lse)
    p << " -> " << result << ", " << lse;
}
