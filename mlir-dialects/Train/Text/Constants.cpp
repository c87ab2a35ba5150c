// Constants as text: values of formulas in an element type, numbers in place of operands, and the
// value of train.constant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Constants.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace ampc;

// ---- Values ----

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// Error for a value that the type does not hold.
static FailureOr<Attribute> refuse(Type type, StringRef formula, std::optional<double> value,
                                   std::string &why) {
  double literal;
  why = "expected a number that " + typeName(type) + " holds, but ";
  why += !value || !formula.getAsDouble(literal)
             ? "got " + formula.str()
             : formula.str() + " is " + textOf(SizeNumber(*value));
  return failure();
}

/// A literal is rounded from its decimal digits, a formula from f64.
static FailureOr<Attribute> realOf(FloatType type, StringRef formula, const Sizes &sizes,
                                   std::string &why) {
  double literal, exact = 0;
  APFloat value(type.getFloatSemantics());
  APFloat::opStatus status = APFloat::opOK;
  if (!formula.getAsDouble(literal)) {
    auto converted = value.convertFromString(formula, APFloat::rmNearestTiesToEven);
    if (!converted) {
      llvm::consumeError(converted.takeError());
      return refuse(type, formula, std::nullopt, why);
    }
    status = *converted;
    exact = literal;
  } else {
    FailureOr<double> result = sizes.evaluateReal(formula, why);
    if (failed(result))
      return failure();
    bool losesInfo;
    exact = *result;
    value = APFloat(exact);
    status = value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  }
  bool vanishes = value.isZero() && (status & APFloat::opUnderflow);
  if (vanishes || !value.isFinite())
    return refuse(type, formula, exact, why);
  return Attribute(FloatAttr::get(type, value));
}

static FailureOr<Attribute> wholeOf(IntegerType type, StringRef formula, const Sizes &sizes,
                                    std::string &why) {
  FailureOr<SizeNumber> number = sizes.evaluateNumber(formula, why);
  if (failed(number))
    return failure();
  unsigned width = type.getWidth();
  double real = realOf(*number);
  bool isWhole = !isReal(*number) || (std::trunc(real) == real && std::fabs(real) < 0x1p63);
  int64_t value = !isReal(*number) ? std::get<int64_t>(*number) : isWhole ? int64_t(real) : 0;
  bool isUnsigned = type.isUnsigned() || width == 1;
  bool fits = isUnsigned ? value >= 0 && (width > 63 || value < (int64_t(1) << width))
                         : llvm::isIntN(width, value);
  if (!isWhole || !fits)
    return refuse(type, formula, real, why);
  return Attribute(IntegerAttr::get(type, APInt(width, uint64_t(value), !isUnsigned)));
}

static FailureOr<Attribute> elementOf(Type type, StringRef formula, const Sizes &sizes,
                                      std::string &why) {
  if (auto real = dyn_cast<FloatType>(type))
    return realOf(real, formula, sizes, why);
  if (auto whole = dyn_cast<IntegerType>(type))
    return wholeOf(whole, formula, sizes, why);
  return refuse(type, formula, std::nullopt, why);
}

FailureOr<DenseElementsAttr> ampc::constantOf(RankedTensorType type, StringRef formulas,
                                              const Sizes &sizes, std::string &why) {
  SmallVector<StringRef> texts;
  formulas.split(texts, ',');
  SmallVector<Attribute> values;
  for (StringRef text : texts) {
    FailureOr<Attribute> value = elementOf(type.getElementType(), text.trim(), sizes, why);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  if (values.size() != 1 && int64_t(values.size()) != type.getNumElements()) {
    why = "expected " + std::to_string(type.getNumElements()) + " numbers of " + typeName(type) +
          ", or one for all, but got " + std::to_string(values.size());
    return failure();
  }
  return DenseElementsAttr::get(type, values);
}

// ---- Numbers in place of operands ----

/// Whether a number, a formula or the name of a size begins here.
static bool isNumberNext(AsmParser &parser) {
  const char *at = parser.getCurrentLocation().getPointer();
  return at && *at && (llvm::isAlnum(*at) || StringRef("(-_?").contains(*at));
}

/// Error for a name without %, as in `train.add %x, y`. Whole numbers are names of values, too: the
/// 0 of `train.maximum %0, 0` is the number.
static ParseResult checkName(OpAsmParser &parser, const ScalarOperand &scalar) {
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  std::string name = "%" + scalar.formula;
  if (!scalar.hasNames || !scope || !scope->valueType({scalar.place, name, 0}) ||
      scope->sizes.findNumber(scalar.formula))
    return success();
  return parser.emitError(scalar.place)
         << "expected a value, a number or the name of a size, but got " << scalar.formula
         << "; did you mean " << name << "?";
}

/// Whether an operand is a knob in place of a number, @t.
static bool isKnob(const syntax::Operand &operand) { return operand.name.starts_with("%@"); }

/// Parses `@t`; nothing without @.
static OptionalParseResult parseOptionalKnob(OpAsmParser &parser, syntax::Operand &operand) {
  SMLoc place = parser.getCurrentLocation();
  StringAttr name;
  if (failed(parser.parseOptionalSymbolName(name)))
    return std::nullopt;
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  // The parser stores a reference to the name while the function is parsed.
  auto stored = parser.getBuilder().getStringAttr("%" + operandNameOf(name.getValue()));
  operand = {place, stored, 0};
  if (scope && scope->valueType(operand))
    return ParseResult(success());
  return ParseResult(parser.emitError(place)
                     << "expected a value, a number or a knob, which train.knob declares before, "
                        "but got "
                     << FlatSymbolRefAttr::get(name));
}

ParseResult syntax::parseElement(OpAsmParser &parser, Operand &operand) {
  if (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value())
    return *found;
  if (OptionalParseResult found = parseOptionalKnob(parser, operand); found.has_value())
    return *found;
  ParseState &state = ParseState::of(parser.getContext());
  bool permitsScalars = state.scalars && state.scalarsOf == parser.getNameLoc();
  if (!permitsScalars || !isNumberNext(parser))
    return parser.parseOperand(operand);
  ScalarOperand scalar{0, "", false, parser.getCurrentLocation()};
  operand = {scalar.place, "", 0};
  if (parseFormula(parser, scalar.formula, scalar.hasNames) || checkName(parser, scalar))
    return failure();
  state.scalars->push_back(std::move(scalar));
  return success();
}

/// Whether real types of elements differ: the value of a knob is cast.
static bool differInElement(Type a, Type b) {
  Type one = getElementTypeOrSelf(a), other = getElementTypeOrSelf(b);
  return one != other && isa<FloatType>(one) && isa<FloatType>(other);
}

ParseResult syntax::parseElementTypes(OpAsmParser &parser, unsigned first,
                                      ArrayRef<Operand *> operands, ArrayRef<Type *> types) {
  SmallVector<Slot> values;
  const Operand *other = nullptr;
  Type *otherType = nullptr;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand->name.empty())
      continue;
    if (!isKnob(*operand))
      values.push_back(Slot(*operand, *types[i]));
    else
      *types[i] = ParseScope::innermost(parser.getContext())->valueType(*operand);
    if (i < first || (other && isKnob(*operand)))
      continue;
    other = operand;
    otherType = types[i];
  }
  if (!other)
    return parser.emitError(operands[first]->location)
           << "expected at least one value, as in %x, for the element type of the numbers";
  if (parseSlots(parser, values))
    return failure();
  SmallVectorImpl<ScalarOperand> &scalars = *ParseState::of(parser.getContext()).scalars;
  unsigned next = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    bool isNumber = operand->name.empty();
    if (isNumber)
      scalars[next++].index = i;
    else if (!isKnob(*operand) || !differInElement(*types[i], *otherType))
      continue;
    else
      scalars.push_back({unsigned(i), operand->name.drop_front().str(), false, operand->location});
    *operand = *other;
    *types[i] = *otherType;
  }
  return success();
}

/// The number as a constant.
static FailureOr<Value> makeConstant(OpAsmParser &parser, OpBuilder &b, const ScalarOperand &scalar,
                                     RankedTensorType type) {
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  std::string why;
  auto value = constantOf(type, scalar.formula, Sizes(scope ? &scope->sizes : nullptr), why);
  if (failed(value))
    return parser.emitError(scalar.place) << why, failure();
  auto constant = train::ConstantOp::create(b, parser.getEncodedSourceLoc(scalar.place),
                                            value->getType(), *value);
  if (scalar.hasNames)
    constant->setAttr(
        Sizes::key, b.getDictionaryAttr(b.getNamedAttr("value", b.getStringAttr(scalar.formula))));
  return Value(constant);
}

/// The value of a knob in another type.
static FailureOr<Value> makeCast(OpAsmParser &parser, OpBuilder &b, const ScalarOperand &scalar,
                                 RankedTensorType type) {
  auto name = b.getStringAttr("%" + scalar.formula);
  syntax::Operand knob{scalar.place, name, 0};
  SmallVector<Value> values;
  if (parser.resolveOperand(knob, ParseScope::innermost(parser.getContext())->valueType(knob),
                            values))
    return failure();
  auto cast = train::CastOp::create(b, parser.getEncodedSourceLoc(scalar.place), type, values[0]);
  return Value(cast);
}

ParseResult ampc::addScalars(OpAsmParser &parser, ArrayRef<ScalarOperand> scalars,
                             OperationState &state) {
  for (const ScalarOperand &scalar : scalars) {
    Value other = state.operands[scalar.index];
    Block *block = other.getParentBlock();
    if (!block)
      return parser.emitError(scalar.place) << "expected the other operand first";
    OpBuilder b(parser.getContext()); // the block is not yet in the region of an op
    b.setInsertionPointToEnd(block);
    auto type = RankedTensorType::get({}, getElementTypeOrSelf(other.getType()));
    bool isKnob = StringRef(scalar.formula).starts_with("@");
    FailureOr<Value> value =
        isKnob ? makeCast(parser, b, scalar, type) : makeConstant(parser, b, scalar, type);
    if (failed(value))
      return failure();
    state.operands[scalar.index] = *value;
  }
  return success();
}

// ---- train.constant ----

namespace {
/// Numbers and formulas of nested lists, [[1.0, beta], [0.5, 2.0]], in row-major order.
class ConstantList {
public:
  explicit ConstantList(OpAsmParser &parser) : parser(parser) {}
  /// Parses one number or list of `depth` brackets around it.
  ParseResult parse(unsigned depth = 0);

  std::string formulas;
  bool hasNames = false;
  SmallVector<int64_t> shape; ///< empty for one number

private:
  ParseResult parseNumber(unsigned depth);

  OpAsmParser &parser;
  bool isNested = false; ///< whether the rank is known
};
} // namespace

ParseResult ConstantList::parseNumber(unsigned depth) {
  SMLoc place = parser.getCurrentLocation();
  std::string text;
  bool ownNames = false;
  if (depth != shape.size())
    return parser.emitError(place) << "expected lists of the same depth";
  isNested = true;
  if (succeeded(parser.parseOptionalKeyword("true")))
    text = "1";
  else if (succeeded(parser.parseOptionalKeyword("false")))
    text = "0";
  else if (parseFormula(parser, text, ownNames))
    return failure();
  hasNames |= ownNames;
  formulas += (formulas.empty() ? "" : ", ") + text;
  return success();
}

ParseResult ConstantList::parse(unsigned depth) {
  SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLSquare()))
    return parseNumber(depth);
  bool isFirst = depth == shape.size() && !isNested;
  if (isFirst)
    shape.push_back(-1);
  if (depth >= shape.size() || depth >= 16)
    return parser.emitError(place) << "expected lists of the same depth, at most 16";
  int64_t count = 0;
  auto one = [&] {
    ++count;
    return parse(depth + 1);
  };
  if (parser.parseCommaSeparatedList(one) || parser.parseRSquare())
    return failure();
  if (shape[depth] >= 0 && shape[depth] != count)
    return parser.emitError(place)
           << "expected " << shape[depth] << " elements, as in the list before, but got " << count;
  shape[depth] = count;
  return success();
}

ParseResult syntax::parseConstant(OpAsmParser &parser, ElementsAttr &value) {
  const char *begin = parser.getCurrentLocation().getPointer(), *end = begin;
  while (llvm::isAlnum(*end) || *end == '_')
    ++end;
  StringRef word(begin, end - begin);
  if (word == "dense" || word == "sparse" || word == "dense_resource" || *begin == '#')
    return parser.parseAttribute(value);
  SMLoc place = parser.getCurrentLocation();
  ConstantList list(parser);
  Type type;
  if (list.parse() || parser.parseColon() || parseResultType(parser, type))
    return failure();
  auto tensor = cast<RankedTensorType>(type);
  if (!list.shape.empty() && tensor.getShape() != ArrayRef(list.shape))
    return parser.emitError(place) << "expected lists of the shape [" << tensor.getShape()
                                   << "], but got [" << list.shape << "]";
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  std::string why;
  auto constant = constantOf(tensor, list.formulas, Sizes(scope ? &scope->sizes : nullptr), why);
  if (failed(constant))
    return parser.emitError(place) << why;
  if (list.hasNames)
    recordFormulas(parser, "value", parser.getBuilder().getStringAttr(list.formulas));
  value = *constant;
  return success();
}

void syntax::printConstant(OpAsmPrinter &p, Operation *, ElementsAttr value) {
  p.printAttribute(value);
}
